"""Tests of identifiers."""

from __future__ import annotations

import time
from uuid import UUID

from mistralai.agents.values.ids import uuid7


class TestAnId:
    def test_is_a_uuid_of_version_7(self) -> None:
        made = UUID(uuid7())
        assert (made.version, made.variant) == (7, "specified in RFC 4122")

    def test_says_when_it_was_made(self) -> None:
        before = time.time_ns() // 1_000_000
        made = UUID(uuid7()).int >> 80
        assert before <= made <= time.time_ns() // 1_000_000 + 1

    def test_sorts_after_every_earlier_one(self) -> None:
        made = [uuid7() for _ in range(20_000)]
        assert made == sorted(set(made))
