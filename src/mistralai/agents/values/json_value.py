"""The type of a JSON value."""

from __future__ import annotations

type JsonValue = str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None
"""Anything JSON can hold."""
