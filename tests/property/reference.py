"""What a session does, as a model small enough to be believed: no log, no loop, no time."""

from __future__ import annotations

from typing import Literal

type Kind = Literal["free", "guarded", "asks"]
type Outcome = Literal["running", "blocked", "completed", "interrupted", "failed"]


class Reference:
    """One session: which turn is active, what it waits for, and what each command must come to."""

    def __init__(self) -> None:
        self.ended = False
        self.active: int | None = None
        self.outcomes: list[Outcome] = []
        self.model_is_called = False
        self.unseen = False
        """Whether a message came that the reply being written cannot have seen."""
        self.calls: dict[int, Literal["approval", "client_tool", "running"]] = {}
        """The calls of the last reply that have no result."""
        self.callbacks: list[tuple[int, bool]] = []
        """Every callback in the order it opened: its call, and whether it is open."""
        self.made = 0
        self.asking: set[int] = set()
        """Calls whose client is asked once they are approved."""

    def start(self) -> Literal["turn", "busy", "ended"]:
        if self.ended:
            return "ended"
        if self.active is not None:
            return "busy"
        self.active = len(self.outcomes)
        self.outcomes.append("running")
        self.model_is_called, self.unseen = True, False
        return "turn"

    def send(self) -> Literal["started", "joined", "ended"]:
        if self.ended:
            return "ended"
        if self.active is None:
            self.start()
            return "started"
        self.unseen = self.unseen or self.model_is_called
        return "joined"

    def steer(self, turn: int) -> Literal["turn", "conflict", "ended"]:
        if self.ended:
            return "ended"
        if turn != self.active:
            return "conflict"
        self.send()
        return "turn"

    def reply_with_text(self) -> None:
        self.model_is_called = False
        if self.unseen:
            self._call_model()
        else:
            self._end("completed")

    def reply_with_calls(self, kinds: list[Kind]) -> None:
        self.model_is_called = self.unseen = False
        for kind in kinds:
            call, self.made = self.made, self.made + 1
            if kind == "free":
                self.calls[call] = "running"
            else:
                self._open(call, "approval" if kind == "guarded" else "client_tool")

    def fail(self) -> None:
        self.model_is_called = False
        self._end("failed")

    def finish_tool(self, call: int) -> None:
        self._result(call)

    def answer(self, callback: int, *, allow: bool) -> Literal["answered", "settled"]:
        call, is_open = self.callbacks[callback]
        if not is_open:
            return "settled"
        self.callbacks[callback] = (call, False)
        if self.calls[call] == "approval" and allow:
            self.calls[call] = "running"
        else:
            self._result(call)
        return "answered"

    def expire(self) -> None:
        for callback, (call, is_open) in enumerate(self.callbacks):
            if is_open:
                self.callbacks[callback] = (call, False)
                self._result(call)

    def interrupt(self, turn: int) -> Literal["turn", "conflict", "ended"]:
        if self.ended:
            return "ended"
        if turn != self.active:
            return "conflict"
        self._end("interrupted")
        return "turn"

    def cancel(self) -> None:
        if self.active is not None:
            self._end("interrupted")
        self.ended = True

    def outcome(self, turn: int) -> Outcome:
        blocked = turn == self.active and any(is_open for _, is_open in self.callbacks)
        return "blocked" if blocked else self.outcomes[turn]

    def _open(self, call: int, kind: Literal["approval", "client_tool"]) -> None:
        self.calls[call] = kind
        self.callbacks.append((call, True))

    def _result(self, call: int) -> None:
        del self.calls[call]
        if not self.calls:
            self._call_model()

    def _call_model(self) -> None:
        self.model_is_called, self.unseen = True, False

    def _end(self, outcome: Outcome) -> None:
        assert self.active is not None
        self.outcomes[self.active] = outcome
        self.active = None
        self.model_is_called = self.unseen = False
        self.calls.clear()
        self.callbacks = [(call, False) for call, _ in self.callbacks]
