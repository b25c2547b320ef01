"""OpenAI's Agents SDK (`openai-agents`): the gate judges the calls of function tools."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable
from typing import Any

from agents import (
    FunctionTool, RunContextWrapper, ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolInputGuardrailData,
    ToolOutputGuardrail, ToolOutputGuardrailData,
)

from ..gate import Gate, Verdict

#: The session of a call, or what tells it from the context of a run.
Session = str | Callable[[RunContextWrapper[Any]], str]


def governed(tool: FunctionTool, gate: Gate, *, session: Session, halt: bool = False) -> FunctionTool:
    """The tool under the gate's rules: what they deny does not run, and the model is told why, or the run ends with the
    SDK's exception where `halt`; what they ask about interrupts the run until it is approved. The rules know what was
    called before in the same `session`, whichever tool it was."""

    def of(context: RunContextWrapper[Any]) -> str:
        return session if isinstance(session, str) else session(context)

    async def judge(context: RunContextWrapper[Any], arguments: dict[str, Any], call: str) -> Verdict:
        return await asyncio.to_thread(gate.judge, tool.name, arguments, session=of(context), call=call)

    async def asks(context: RunContextWrapper[Any], arguments: dict[str, Any], call: str) -> bool:
        if tool.needs_approval is True or (await judge(context, arguments, call)).kind == "ask":
            return True
        return callable(tool.needs_approval) and await tool.needs_approval(context, arguments, call)

    async def before(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        context = data.context
        verdict = await judge(context, _arguments(context.tool_arguments), context.tool_call_id)
        approved = context.is_tool_approved(context.tool_name, context.tool_call_id) is True
        if verdict.kind == "allow" or (verdict.kind == "ask" and approved):
            return ToolGuardrailFunctionOutput.allow(verdict)
        if halt:
            return ToolGuardrailFunctionOutput.raise_exception(verdict)
        return ToolGuardrailFunctionOutput.reject_content(verdict.text, verdict)

    async def after(data: ToolOutputGuardrailData) -> ToolGuardrailFunctionOutput:
        context = data.context
        arguments = _arguments(context.tool_arguments)
        await asyncio.to_thread(gate.ran, tool.name, arguments, session=of(context), call=context.tool_call_id)
        return ToolGuardrailFunctionOutput.allow()

    return dataclasses.replace(
        tool,
        needs_approval=asks,
        tool_input_guardrails=[ToolInputGuardrail(before, "hence"), *(tool.tool_input_guardrails or [])],
        tool_output_guardrails=[ToolOutputGuardrail(after, "hence"), *(tool.tool_output_guardrails or [])],
    )


def _arguments(text: str) -> dict[str, Any]:
    """The arguments of a call; what is no object can't be judged, and the gate asks or denies."""
    read = json.loads(text or "{}")
    return read if isinstance(read, dict) else {"arguments": read}
