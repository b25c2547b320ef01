"""LangChain (`langchain`): a middleware that has the gate judge each tool call of an agent."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command, interrupt

from ..gate import Gate

Result = ToolMessage | Command[Any]


class Governed(AgentMiddleware[Any, Any, Any]):
    """Tools under the gate's rules: what they deny does not run, and the model is told why; what they ask about interrupts
    the agent, in the form of LangChain's own `HumanInTheLoopMiddleware`, until somebody approves, edits or rejects it. A call
    with edited arguments is judged again. The session is the `thread_id` of the run, else one of the middleware's own."""

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate, self._otherwise = gate, str(uuid.uuid4())

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        """Judges a call, and runs it if it may."""
        settled = self._settle(request)
        if isinstance(settled, ToolMessage):
            return settled
        try:
            result = handler(settled)
        except GraphBubbleUp:
            raise
        except Exception:
            self._ran(settled, False)
            raise
        self._ran(settled, _went_well(result))
        return result

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        """The same without blocking."""
        settled = await asyncio.to_thread(self._settle, request)
        if isinstance(settled, ToolMessage):
            return settled
        try:
            result = await handler(settled)
        except GraphBubbleUp:
            raise
        except Exception:
            await asyncio.to_thread(self._ran, settled, False)
            raise
        await asyncio.to_thread(self._ran, settled, _went_well(result))
        return result

    def _settle(self, request: ToolCallRequest) -> ToolCallRequest | ToolMessage:
        """The request that may run, perhaps with other arguments; else what the model is told."""
        while True:
            verdict = self._gate.judge(**self._call(request))
            if verdict.kind == "allow":
                return request
            if verdict.kind == "deny":
                return _refusal(request, verdict.text)
            decision = _asked(request, verdict.text)
            edited = decision.get("edited_action", {})
            if decision["type"] == "approve":
                return request
            if decision["type"] != "edit":
                return _refusal(request, decision.get("message") or f"A person rejected this call. {verdict.text}")
            if edited.get("name") != request.tool_call["name"]:
                return _refusal(request, "The call was edited into one of another tool, and did not run.")
            request = request.override(tool_call={**request.tool_call, "args": edited["args"]})

    def _ran(self, request: ToolCallRequest, ok: bool) -> None:
        self._gate.ran(**self._call(request), ok=ok)

    def _call(self, request: ToolCallRequest) -> dict[str, Any]:
        call = request.tool_call
        config = getattr(request.runtime, "config", None) or {}
        session = config.get("configurable", {}).get("thread_id") or self._otherwise
        return {"tool": call["name"], "arguments": call["args"], "session": str(session), "call": str(call["id"])}


def _asked(request: ToolCallRequest, why: str) -> dict[str, Any]:
    """What somebody decides about a call; the agent is interrupted until then."""
    name, arguments = request.tool_call["name"], request.tool_call["args"]
    answer = interrupt({
        "action_requests": [{"name": name, "args": arguments, "description": why}],
        "review_configs": [{"action_name": name, "allowed_decisions": ["approve", "edit", "reject"]}],
    })
    decision: dict[str, Any] = answer["decisions"][0]
    return decision


def _refusal(request: ToolCallRequest, text: str) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(content=text, name=call["name"], tool_call_id=call["id"], status="error")


def _went_well(result: Result) -> bool:
    return not isinstance(result, ToolMessage) or result.status != "error"
