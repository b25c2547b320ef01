"""The answers of hence, as the JSON that it gives."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

#: A fact: a relation with its values in order, or by column; `{"retract": …}` where it goes.
Fact = dict[str, Any]


class Answer(TypedDict, total=False):
    """What every answer of the service holds: of which transaction it is, and that one's hash."""

    tx: int
    head: str


class Decision(TypedDict):
    """A decision, with the rule that drew it and its sentence."""

    id: str | None
    relation: str
    values: list[Any]
    rule: str | None
    because: str | None


class Outcome(Answer, total=False):
    """What became of facts. One that is `repeated` was recorded before, under the same key, and names no decisions."""

    committed: int | None
    repeated: bool
    asserted: int
    present: int
    retracted: int
    missing: int
    drawn: list[Decision]
    lapsed: list[Decision]
    undetermined: list[str]
    steps: list[Any]
    reports: list[Any]


class Rows(Answer, total=False):
    """The matches of a rule body."""

    columns: list[str]
    rows: list[dict[str, Any]]
    undetermined: list[dict[str, Any]]
    reports: list[Any]


class Proofs(Answer, total=False):
    """Why a fact holds; `hence/proof.schema.json` describes a proof."""

    holds: int
    undetermined: bool
    more: bool
    proofs: list[dict[str, Any]]
    instead: list[Fact]


class Proof(Answer, total=False):
    """Why a decision was drawn."""

    id: str
    relation: str
    values: list[Any]
    rule: str | None
    because: str | None
    proof: dict[str, Any] | None


class WhyNot(Answer, total=False):
    """What is missing for a fact, rule by rule, and what would make it hold."""

    asked: Fact
    holds: list[Fact]
    rules: list[dict[str, Any]]
    remedies: dict[str, Any]
    possible: list[dict[str, Any]]


class Flip(TypedDict):
    """A decision that a hypothesis draws or lets lapse."""

    change: Literal["drawn", "lapsed"]
    decision: Fact
    before: str | None
    after: str | None


class WhatIf(Answer, total=False):
    """The difference that a hypothesis makes."""

    changes: list[Flip]
    steps: list[Any]


class Decisions(Answer, total=False):
    """Decisions in force; `total` counts those beyond the page, too."""

    decisions: list[Decision]
    total: int


class Facts(Answer, total=False):
    """The facts of a relation."""

    relation: str
    columns: list[str]
    facts: list[dict[str, Any]]


class Reviews(Answer, total=False):
    """What waits for a person."""

    reviews: list[dict[str, Any]]


class Evaluation(TypedDict, total=False):
    """Whether a subject may do something (AuthZEN 1.0); `context` says by which rule and why."""

    decision: bool
    context: dict[str, Any]


class Transaction(TypedDict):
    """A transaction with what it changed."""

    transaction: int
    time: str
    author: str
    source: str
    note: str | None
    clock: str
    head: str
    asserted: list[Fact]
    retracted: list[Fact]
    drawn: list[dict[str, Any]]
    lapsed: list[dict[str, Any]]


class Streamed(TypedDict):
    """What a transaction of a stream changed, and the line that ends it."""

    changes: list[dict[str, Any]]
    end: dict[str, Any]
