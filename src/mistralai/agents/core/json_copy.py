"""Copies of JSON data, for what leaves the log: nobody who is shown a call's arguments can change what runs."""

from __future__ import annotations

from typing import Any

from mistralai.agents.authoring.json_kinds import is_array, is_object


def copied(data: Any) -> Any:
    """Return JSON data that shares no object or array with what is given."""
    if is_object(data):
        return {key: copied(value) for key, value in data.items()}
    return [copied(value) for value in data] if is_array(data) else data
