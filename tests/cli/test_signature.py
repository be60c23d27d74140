"""Tests of what `agents info` shows of a tool's parameters and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pytest

from mistralai import agents
from mistralai.agents.cli.signature import parameters, type_of

if TYPE_CHECKING:
    from tests.cli.conftest import Project, Start


@dataclass
class Address:
    """Where somebody lives."""

    street: str
    floor: int | None = None


@dataclass
class Person:
    """Somebody with friends."""

    name: str
    friends: list[Person]


class TestAParameter:
    def test_has_its_type_its_default_and_what_it_is_for(self) -> None:
        @agents.tool
        def lend(book: str, to: Address, weeks: int = 2, how: Literal["post", "desk"] = "desk") -> str:
            """Lend a book.

            Args:
                book: The title, as it
                    stands on the book.
                to: Who takes it.
            """
            return f"{book} {to} {weeks} {how}"

        assert parameters(lend.input_schema) == [
            "book: string · The title, as it stands on the book.",
            "to: {street: string, floor?: integer | null} · Who takes it.",
            "weeks: integer = 2",
            'how: "post" | "desk" = "desk"',
        ]

    def test_of_a_type_that_holds_itself_comes_to_an_end(self) -> None:
        @agents.tool
        def invite(host: Person) -> None:
            """Invite somebody's friends."""

        (row,) = parameters(invite.input_schema)
        person = "{name: string, friends: list of "
        assert row == f"host: {person}{person}{person}Person{'}' * 3}"

    @pytest.mark.parametrize(
        ("schema", "shown"),
        [
            ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "list of (string | null)"),
            ({"type": "object", "additionalProperties": {"type": "number"}}, "object of number"),
            ({"type": ["string", "null"]}, "string | null"),
            ({"type": "string", "format": "date-time"}, "string (date-time)"),
            ({"const": 3}, "3"),
            ({"$ref": "#/$defs/Gone"}, "Gone"),
            ({}, "anything"),
            (True, "anything"),
        ],
    )
    def test_may_be_of_any_schema(self, schema: Any, shown: str) -> None:
        assert type_of(schema) == shown
        assert parameters({"properties": {"x": schema}}) == [f"x?: {shown}"]

    @pytest.mark.parametrize("schema", [True, {}, {"properties": 3}])
    def test_is_none_where_a_schema_names_none(self, schema: Any) -> None:
        assert parameters(schema) == []


class TestInfo:
    @pytest.mark.parametrize("columns", [60, 80, 200])
    def test_breaks_no_word_at_a_terminal(self, columns: int, project: Project, at_terminal: Start) -> None:
        project.write(
            '''
            @agents.tool
            def lend(book: str, weeks: int = 2) -> str:
                """Lend a book to a reader who asks for it, unless somebody else asked for it before that reader.

                Args:
                    book: The title of the book as it stands on its cover, with the name of the one who wrote it.
                """
                return book

            agent = agents.Agent(name="librarian", model="m", tools=[lend], instructions="Lend books to readers. " * 9)
            '''
        )
        terminal = at_terminal("info", columns=columns)
        terminal.ends(0)
        told = terminal.shown.partition("agent   ")[2]  # above it are paths, which may be longer than a row
        assert "book: string · The title of the book as it stands on its cover, with the" in " ".join(told.split())
        assert "weeks: integer = 2" in told
        assert "{" not in told
        words = {"librarian", "somebody", "instructions", "unless", "cover,", "AGENTS", "readers.", "MISTRAL_API_KEY."}
        assert words - {"AGENTS"} <= set(told.split())
