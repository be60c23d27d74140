"""The canonical text of a call's arguments: equal arguments have equal texts, whatever the order of their keys."""

from __future__ import annotations

import json


def canonical(arguments: object) -> str:
    """Return JSON with sorted keys and no spaces."""
    return json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
