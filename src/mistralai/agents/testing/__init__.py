"""The testing kit: models that do what a test says, and what else keeps a test of an agent quick and offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mistralai.agents.testing.fake_clock import (
        FakeClock as FakeClock,
    )
    from mistralai.agents.testing.gates import (
        Gate as Gate,
        gate as gate,
    )
    from mistralai.agents.testing.guard import (
        allow_real_model_calls as allow_real_model_calls,
        refuse_real_model_calls as refuse_real_model_calls,
    )
    from mistralai.agents.testing.journal_store_tests import (
        JournalStoreTests as JournalStoreTests,
    )
    from mistralai.agents.testing.recording import (
        RecordingModel as RecordingModel,
        ReplayModel as ReplayModel,
    )
    from mistralai.agents.testing.script_error import (
        RealModelCallError as RealModelCallError,
        ReplayMissError as ReplayMissError,
        ScriptError as ScriptError,
    )
    from mistralai.agents.testing.scripted import (
        ScriptedModel as ScriptedModel,
    )
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
    from mistralai.agents.testing.strict_provider import (
        StrictProvider as StrictProvider,
    )
    from mistralai.agents.testing.strict_replies import (
        Disconnect as Disconnect,
        Refusal as Refusal,
        Silence as Silence,
        Stream as Stream,
    )

_WHERE = {
    "fake_clock": "FakeClock",
    "gates": "Gate gate",
    "guard": "allow_real_model_calls refuse_real_model_calls",
    "journal_store_tests": "JournalStoreTests",
    "recording": "RecordingModel ReplayModel",
    "script_error": "RealModelCallError ReplayMissError ScriptError",
    "scripted": "ScriptedModel",
    "steps": "Step call calls error reply run_typescript stream tokens",
    "strict_provider": "StrictProvider",
    "strict_replies": "Disconnect Refusal Silence Stream",
}
_NAMES = {name: module for module, names in _WHERE.items() for name in names.split()}

__all__ = [
    "Disconnect",
    "FakeClock",
    "Gate",
    "JournalStoreTests",
    "RealModelCallError",
    "RecordingModel",
    "Refusal",
    "ReplayMissError",
    "ReplayModel",
    "ScriptError",
    "ScriptedModel",
    "Silence",
    "Step",
    "Stream",
    "StrictProvider",
    "allow_real_model_calls",
    "call",
    "calls",
    "error",
    "gate",
    "refuse_real_model_calls",
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
