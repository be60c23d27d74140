"""What pytest loads by itself where Fanal is installed: the kit's plugin, or nothing where that cannot be imported.

pytest stops at a plugin that fails to import, so this one lives outside `mistralai`, as the command's first step.
"""

from __future__ import annotations

from fanal.command import conflict

pytest_plugins = ["mistralai.agents.testing.pytest_plugin"] if conflict() is None else []
