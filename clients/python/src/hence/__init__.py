"""hence decides, by rules that say why, what an agent may do: over HTTP (`Hence`), as a child process (`Stream`), by the
socket of a ledger's owner (`Owner`), and tool call by tool call (`Gate`, `hence.agents`)."""

from .answers import (
    Answer, Decision, Decisions, Evaluation, Fact, Facts, Flip, Outcome, Proof, Proofs, Rows, Streamed, Transaction,
    WhatIf, WhyNot,
)
from .errors import HenceError, Unreachable
from .events import Changes
from .gate import Gate, Verdict
from .http import Hence
from .owner import Judged, Owner, Standing
from .stream import Stream

__all__ = [
    "Answer", "Changes", "Decision", "Decisions", "Evaluation", "Fact", "Facts", "Flip", "Gate", "Hence", "HenceError",
    "Judged", "Outcome", "Owner", "Proof", "Proofs", "Rows", "Standing", "Stream", "Streamed", "Transaction",
    "Unreachable", "Verdict", "WhatIf", "WhyNot",
]
