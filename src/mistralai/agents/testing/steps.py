"""The steps of a script: what a scripted model does in one call, and the functions that make one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from mistralai.agents.authoring.model import ModelError, ReasoningBlock
from mistralai.agents.models.failures import failure_of
from mistralai.agents.models.provider_words import ProviderWords
from mistralai.agents.testing.gates import Gate
from mistralai.agents.values.usage import TokenUsage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from mistralai.agents.authoring.model import ModelRequest

RETRYABLE_CODES = frozenset(
    {"completion_rate_limited", "completion_unavailable", "completion_timed_out", "completion_failed"}
)
USUAL_REASONS = {429: "rate_limited"}
"""What providers name as the reason of a status when they refuse for the usual cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedCall:
    """A tool call that a step makes."""

    name: str
    arguments: str
    """JSON text, or text that does not parse."""
    id: str | None
    """None for the next id of the model's own count."""


type Part = str | Gate | ReasoningBlock | ScriptedCall | ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What the model does in one call: pieces of a stream in order, and how it ends."""

    parts: tuple[Part, ...]
    finish: str | None
    """The finish reason; None if the step ends in an error or the stream just stops."""
    usage: TokenUsage | None = None
    """Tokens of this call; None for the model's usual number."""
    reports_usage: bool = True
    """False for a reply that tells no tokens, as some servers do."""

    @property
    def calls(self) -> tuple[ScriptedCall, ...]:
        """The tool calls among the parts."""
        return tuple(part for part in self.parts if isinstance(part, ScriptedCall))

    def __str__(self) -> str:
        if self.calls:
            return " and ".join(f"call({one.name!r}, {_short(one.arguments)})" for one in self.calls)
        failure = next((part for part in self.parts if isinstance(part, ModelError)), None)
        if failure is not None:
            return f"error({failure.code!r})"
        return f"reply({_short(''.join(part for part in self.parts if isinstance(part, str)))!r})"


type StepFunction = Callable[[ModelRequest], Step | Awaitable[Step]]
"""A step that depends on what the model is asked."""


def reply(
    *text: str | Gate,
    chunks: int = 1,
    hold: Gate | None = None,
    reasoning: str | None = None,
    finish: str = "stop",
    usage: TokenUsage | None = None,
    reports_usage: bool = True,
) -> Step:
    """Answer with text. Several pieces come one by one, a gate among them holds the stream there.

    `chunks` cuts each piece into that many; `hold` is a gate before the first. `finish="length"` is a reply that was
    cut at the output limit.
    """
    if chunks < 1:
        raise ValueError(f"reply: chunks is {chunks!r}. Pass a whole number from 1.")
    _check_pieces("reply", text)
    pieces = [part for item in text for part in ([item] if isinstance(item, Gate) else _cut(item, chunks))]
    parts = (*_before(hold, reasoning), *pieces)
    return Step(parts=parts, finish=finish, usage=usage, reports_usage=reports_usage)


def call(
    name: str,
    arguments: Mapping[str, Any] | str | None = None,
    *,
    id: str | None = None,
    text: str = "",
    hold: Gate | None = None,
    reasoning: str | None = None,
    finish: str = "tool_calls",
    usage: TokenUsage | None = None,
) -> Step:
    """Call one tool by the name the model knows it by. A string as `arguments` goes out as it is, JSON or not."""
    if not isinstance(name, str) or not name:  # pyright: ignore[reportUnnecessaryIsInstance]  # tests are often untyped
        raise ValueError(f"call: name is {name!r}. Pass the name by which the model knows a tool.")
    _check_pieces("call", (text,))
    written = _written(arguments)
    made = ScriptedCall(name=name, arguments=written, id=id)
    return Step(parts=(*_before(hold, reasoning), *_cut(text, 1), made), finish=finish, usage=usage)


def calls(
    *steps: Step,
    text: str = "",
    hold: Gate | None = None,
    finish: str = "tool_calls",
    usage: TokenUsage | None = None,
) -> Step:
    """Call several tools at once: `calls(call("a"), call("b"))`."""
    if not steps:
        raise ValueError("calls: there is no call. Pass steps made by call(), or use reply().")
    _check_pieces("calls", (text,))
    for number, step in enumerate(steps, 1):
        if not isinstance(step, Step) or not step.calls:  # pyright: ignore[reportUnnecessaryIsInstance]  # tests are often untyped
            raise TypeError(f"calls: argument {number} is {step!r}. Pass steps made by call().")
    parts = (part for step in steps for part in step.parts)
    return Step(parts=(*_before(hold, None), *_cut(text, 1), *parts), finish=finish, usage=usage)


def run_typescript(code: str, *, text: str = "", hold: Gate | None = None, usage: TokenUsage | None = None) -> Step:
    """Run a program of the model's."""
    return call("run_typescript", {"code": code}, text=text, hold=hold, usage=usage)


def error(
    status: int | str,
    message: str = "",
    *,
    reason: str | None = None,
    request_id: str | None = None,
    retryable: bool | None = None,
    details: Mapping[str, Any] | None = None,
    after: str | Gate = "",
    hold: Gate | None = None,
) -> Step:
    """Fail the call: with an HTTP status, read as a provider's answer is, or a code such as `"completion_failed"`.

    `reason` is the provider's name of the failure; 429 is `"rate_limited"` unless another is given, `""` for none.
    `after` is text that was streamed before the failure. Failing is final: retries belong to the providers, below.
    """
    _check_status(status)
    _check_pieces("error", (after,))
    parts: tuple[Part, ...] = (*_before(hold, None), *([after] if after else []))
    if isinstance(status, int):
        words = ProviderWords(message=message, reason=USUAL_REASONS.get(status) if reason is None else reason or None)
        read = failure_of("The scripted model", status, words, request_id=request_id)
        kind = read.code, read.retryable, {**(read.details or {}), **(details or {})}
        failure = _failure(read.message, kind, retryable)
    else:
        given = dict(details or {}) | ({"reason": reason} if reason else {})
        failure = _failure(
            message or f"The scripted model failed with {status}.",
            (status, status in RETRYABLE_CODES, given),
            retryable,
        )
    return Step(parts=(*parts, failure), finish=None)


def stream(*parts: str | Gate, usage: TokenUsage | None = None) -> Step:
    """Stream text and stop without a finish reason, as a broken connection does."""
    _check_pieces("stream", parts)
    return Step(parts=parts, finish=None, usage=usage)


def tokens(input_tokens: int, output_tokens: int = 0, *, cached_input_tokens: int = 0) -> TokenUsage:
    """Make the usage of a step."""
    return TokenUsage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=input_tokens + output_tokens,
        cached_input_tokens=cached_input_tokens,
    )


def _check_pieces(step: str, pieces: Sequence[object]) -> None:
    for piece in pieces:
        if not isinstance(piece, str | Gate):
            raise TypeError(f"{step}: {piece!r} is no piece of a stream. Pass text, or a gate that holds it.")


def _check_status(status: object) -> None:
    if isinstance(status, str) and status:
        return
    if not isinstance(status, int) or isinstance(status, bool) or not 300 <= status <= 599:
        raise ValueError(f"error: status is {status!r}. Pass an HTTP status of a failure, or a code of ProtocolError.")


def _written(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    if arguments is not None and not isinstance(arguments, Mapping):
        raise TypeError(f"call: arguments is {arguments!r}. Pass them by name in a dict, or as text.")
    try:
        return json.dumps(dict(cast("Mapping[str, Any]", arguments or {})), ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"call: arguments is {arguments!r}, which JSON cannot hold: {error}.") from None


def _failure(message: str, kind: tuple[str, bool, dict[str, Any]], retryable: bool | None) -> ModelError:
    code, usually, details = kind
    return ModelError(
        message, code=code, retryable=usually if retryable is None else retryable, details=details or None
    )


def _before(hold: Gate | None, reasoning: str | None) -> tuple[Part, ...]:
    thought = ReasoningBlock(text=reasoning, data={"type": "text", "text": reasoning}) if reasoning else None
    return tuple(part for part in (hold, thought) if part is not None)


def _cut(text: str, chunks: int) -> list[str]:
    size = -(-len(text) // chunks) or 1
    return [text[at : at + size] for at in range(0, len(text), size)]


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
