"""The testing kit: models that do what a test says, and what else keeps a test of an agent quick and offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mistralai.agents.testing.gates import Gate as Gate, gate as gate
    from mistralai.agents.testing.scripted import ScriptedModel as ScriptedModel, ScriptError as ScriptError
    from mistralai.agents.testing.steps import (
        Step as Step,
        call as call,
        calls as calls,
        error as error,
        reply as reply,
        run_typescript as run_typescript,
        stream as stream,
        tokens as tokens,
    )

_WHERE = {
    "gates": "Gate gate",
    "scripted": "ScriptError ScriptedModel",
    "steps": "Step call calls error reply run_typescript stream tokens",
}
_NAMES = {name: module for module, names in _WHERE.items() for name in names.split()}

__all__ = [
    "Gate",
    "ScriptError",
    "ScriptedModel",
    "Step",
    "call",
    "calls",
    "error",
    "gate",
    "reply",
    "run_typescript",
    "stream",
    "tokens",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})
