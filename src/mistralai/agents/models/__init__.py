"""Models behind providers' HTTP interfaces. `providers.py` is the way in."""
