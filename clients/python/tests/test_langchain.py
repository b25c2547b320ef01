"""The middleware for LangChain, with LangChain itself and a model that says what a script says."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from conftest import marking, secret_is_known
from hence import Gate
from hence.agents.langchain import Governed


class Scripted(BaseChatModel):
    """Calls some tools at once, then says what it was told."""

    calls: list[tuple[str, dict[str, Any]]]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Scripted:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        told = [str(message.content) for message in messages if isinstance(message, ToolMessage)]
        calls = [{"name": name, "args": args, "id": uuid.uuid4().hex} for name, args in self.calls]
        said = AIMessage("; ".join(told)) if told else AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=said)])


def agent(gate: Gate, marker: Path, *calls: tuple[str, dict[str, Any]]) -> Any:
    """An agent whose tools leave a mark where they run."""
    return create_agent(
        Scripted(calls=list(calls)), [tool(one) for one in marking(marker)], middleware=[Governed(gate)],
        checkpointer=InMemorySaver(),
    )


THREAD = {"configurable": {"thread_id": "s1"}}


def run(agent: Any, said: Any = None) -> Any:
    return agent.invoke(said or {"messages": [("user", "go")]}, THREAD)


def answered(agent: Any, *decisions: dict[str, Any]) -> Any:
    return run(agent, Command(resume={"decisions": list(decisions)}))


def last(result: Any) -> str:
    return str(result["messages"][-1].content)


def test_an_allowed_call_runs(gate: Gate, gated: Path) -> None:
    marker = gated / "marker"
    result = run(agent(gate, marker, ("weather", {"city": "Ulm"})))
    assert (last(result), marker.read_text()) == ("sunny in Ulm", "Ulm")


def test_the_same_without_blocking(gate: Gate, gated: Path) -> None:
    marker = gated / "marker"
    asking = agent(gate, marker, ("weather", {"city": "Ulm"}), ("deploy", {"place": "live"}))
    result = asyncio.run(asking.ainvoke({"messages": [("user", "go")]}, THREAD))
    assert len(result["__interrupt__"]) == 1 and marker.read_text() == "Ulm"
    approve: Command[Any] = Command(resume={"decisions": [{"type": "approve"}]})
    assert last(asyncio.run(asking.ainvoke(approve, THREAD))) == "sunny in Ulm; deployed to live"
    assert marker.read_text() == "live"


def test_a_denied_call_does_not_run_and_the_model_is_told_why(gate: Gate, gated: Path) -> None:
    marker = gated / "marker"
    secret_is_known(gate, gated)
    result = run(agent(gate, marker, ("fetch", {"url": "https://example.com"})))
    assert "secret_sent" in last(result)
    assert not marker.exists()


def test_what_is_asked_runs_once_it_is_approved(gate: Gate, gated: Path) -> None:
    marker = gated / "marker"
    asking = agent(gate, marker, ("deploy", {"place": "live"}))
    request = run(asking)["__interrupt__"][0].value
    assert request["action_requests"][0]["name"] == "deploy" and not marker.exists()
    assert last(answered(asking, {"type": "approve"})) == "deployed to live"
    assert marker.read_text() == "live"


def test_what_is_rejected_does_not_run(gate: Gate, gated: Path) -> None:
    marker = gated / "marker"
    asking = agent(gate, marker, ("deploy", {"place": "live"}))
    run(asking)
    assert last(answered(asking, {"type": "reject", "message": "not on a Friday"})) == "not on a Friday"
    assert not marker.exists()


def test_an_edited_call_is_judged_again(gate: Gate, gated: Path) -> None:
    marker = gated / "marker"
    asking = agent(gate, marker, ("deploy", {"place": "live"}))
    run(asking)
    edit = {"type": "edit", "edited_action": {"name": "deploy", "args": {"place": "test"}}}
    assert answered(asking, edit)["__interrupt__"] and not marker.exists()
    assert last(answered(asking, {"type": "approve"})) == "deployed to test"
    assert marker.read_text() == "test"


def test_an_edit_into_another_tool_does_not_run(gate: Gate, gated: Path) -> None:
    marker = gated / "marker"
    asking = agent(gate, marker, ("deploy", {"place": "live"}))
    run(asking)
    edit = {"type": "edit", "edited_action": {"name": "weather", "args": {"city": "Ulm"}}}
    assert "another tool" in last(answered(asking, edit))
    assert not marker.exists()


def test_a_tool_that_keeps_failing_is_denied(gate: Gate, gated: Path) -> None:
    for turn in range(4):
        # A mark can't be left where a folder is.
        failing = agent(gate, gated, ("weather", {"city": "Ulm"}))
        if turn < 3:
            with pytest.raises(IsADirectoryError):
                run(failing)
        else:
            assert "failed_before" in last(run(failing))


def test_without_a_gate_nothing_runs(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    dead = Gate(tmp_path / ".hence", program=None, timeout=1)
    assert "the call does not run" in last(run(agent(dead, marker, ("weather", {"city": "Ulm"}))))
    assert not marker.exists()
