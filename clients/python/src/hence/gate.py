"""The gate: rules decide on each tool call of an agent, and know what its session did before. It fails closed."""

from __future__ import annotations

import json
import os
import subprocess
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .errors import HenceError, Unreachable
from .http import Hence
from .owner import Judged, Owner

#: How many verdicts are remembered, so that a call that was interrupted is not judged twice.
REMEMBERED = 4096


@dataclass(frozen=True)
class Verdict:
    """What becomes of a call; `text` says by which rule, why, and what to do next."""

    kind: Literal["allow", "ask", "deny"]
    text: str


class Gate:
    """Judges calls by the rules of the owner of the ledger in `store`, and has `program` start one where none runs.

    With a `service` it asks that over HTTP instead (`POST /hook/claude`), by a token with the scope `decide`.

    What is no verdict is a denial: no owner, no answer within `timeout` seconds, an answer that nobody understands. `cwd` is
    the agent's working directory.
    """

    def __init__(
        self, store: str | os.PathLike[str] = ".hence", *, service: Hence | None = None, program: str | None = "hence",
        cwd: str | None = None, agent: str = "", timeout: float = 3.0,
    ) -> None:
        self._store, self._service, self._program, self._timeout = os.fspath(store), service, program, timeout
        self._owner, self._agent, self._cwd = Owner(store, timeout=timeout), agent, os.path.abspath(cwd or os.curdir)
        self._known: OrderedDict[str, Verdict] = OrderedDict()

    def judge(self, tool: str, arguments: Mapping[str, Any], *, session: str, call: str) -> Verdict:
        """The verdict on a call before it runs; the very same call is judged once until it ran."""
        known = _name(tool, arguments, session, call)
        if (verdict := self._known.get(known)) is not None:
            return verdict
        try:
            verdict = _verdict(self._told("PreToolUse", session, self._of(tool, arguments, call)))
        except Exception as error:  # Whatever goes wrong, there is no verdict.
            return Verdict("deny", f"hence gave no verdict, so the call does not run: {error}")
        self._known[known] = verdict
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return verdict

    def ran(self, tool: str, arguments: Mapping[str, Any], *, session: str, call: str, ok: bool = True) -> bool:
        """Tells that a call ran; whether that was recorded. One that ran unjudged shows as `ungated`."""
        self._known.pop(_name(tool, arguments, session, call), None)
        event = "PostToolUse" if ok else "PostToolUseFailure"
        return self._tell(event, session, self._of(tool, arguments, call) | {"tool_response": {}})

    def ended(self, session: str) -> bool:
        """Tells that a session is over, whose facts go; whether that was recorded."""
        return self._tell("SessionEnd", session, {"reason": "other"})

    def _of(self, tool: str, arguments: Mapping[str, Any], call: str) -> dict[str, Any]:
        return {"tool_name": tool, "tool_input": dict(arguments), "tool_use_id": call}

    def _tell(self, name: str, session: str, more: Mapping[str, Any]) -> bool:
        try:
            return self._told(name, session, more)["status"] == 0
        except (HenceError, OSError, TypeError, ValueError):
            return False

    def _told(self, name: str, session: str, more: Mapping[str, Any]) -> Judged:
        event = {"hook_event_name": name, "session_id": session, "cwd": self._cwd, "transcript_path": "", **more}
        if self._agent:
            event["agent_id"] = self._agent
        if self._service is not None:
            answer = self._service.ask("POST", "/hook/claude", event)
            return {"output": json.dumps(answer), "error": answer.get("error"), "status": answer.get("status", 0)}
        try:
            return self._owner.judge(event)
        except Unreachable:
            if self._program is None:
                raise
        return self._started(json.dumps(event))

    def _started(self, event: str) -> Judged:
        """The same by a process that starts the owner."""
        words = [str(self._program), "gate", "--host", "claude", "--store", self._store]
        try:
            done = subprocess.run(words, input=event.encode(), capture_output=True, timeout=self._timeout, check=False)
        except subprocess.TimeoutExpired as error:
            raise Unreachable(f"`hence gate` took more than {self._timeout} s") from error
        return {
            "output": done.stdout.decode(errors="replace"), "error": done.stderr.decode(errors="replace"),
            "status": done.returncode,
        }


def _name(tool: str, arguments: Mapping[str, Any], session: str, call: str) -> str:
    return json.dumps([session, call, tool, arguments], sort_keys=True, default=str)


def _verdict(judged: Judged) -> Verdict:
    """What the answer for Claude Code means; anything but a clear word denies."""
    if judged["status"] != 0:
        return Verdict("deny", (judged["error"] or "hence refused to judge the call").strip())
    said = json.loads(judged["output"] or "{}").get("hookSpecificOutput", {})
    kind, text = said.get("permissionDecision"), said.get("permissionDecisionReason") or ""
    if kind == "allow" or kind == "ask":
        return Verdict(kind, text)
    return Verdict("deny", text or "hence gave no verdict, so the call does not run")
