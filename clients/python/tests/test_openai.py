"""The adapter for OpenAI's Agents SDK, with the SDK itself and a model that says what a script says."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Tool, Usage, function_tool
from agents.exceptions import ToolInputGuardrailTripwireTriggered
from agents.run_state import RunState
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from conftest import marking, secret_is_known
from hence import Gate
from hence.agents.openai import governed

QUIET = RunConfig(tracing_disabled=True)


class Scripted(Model):
    """Calls one tool, then says what it was told."""

    def __init__(self, tool: str, arguments: dict[str, Any], call: str = "call-1") -> None:
        self.call = ResponseFunctionToolCall(
            type="function_call", call_id=call, name=tool, arguments=json.dumps(arguments), id="f1"
        )

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        outputs = [item["output"] for item in input if isinstance(item, dict) and item.get("type") == "function_call_output"]
        if not outputs:
            return ModelResponse(output=[self.call], usage=Usage(), response_id=None)
        text = ResponseOutputText(type="output_text", text=str(outputs[-1]), annotations=[])
        message = ResponseOutputMessage(id="m1", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def agent(gate: Gate, marker: Path, model: Model, **options: Any) -> Agent[Any]:
    """An agent whose tools leave a mark where they run."""
    tools: list[Tool] = [
        governed(function_tool(one), gate, session="s1", **options) for one in marking(marker)
    ]
    return Agent(name="tester", model=model, tools=tools)


def run(agent: Agent[Any], said: Any = "go") -> Any:
    return asyncio.run(Runner.run(agent, said, run_config=QUIET))


def test_an_allowed_call_runs(gate: Gate, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    result = run(agent(gate, marker, Scripted("weather", {"city": "Ulm"})))
    assert (result.final_output, marker.read_text()) == ("sunny in Ulm", "Ulm")


def test_a_denied_call_does_not_run_and_the_model_is_told_why(gate: Gate, gated: Path) -> None:
    marker = gated / "marker"
    secret_is_known(gate, gated)
    result = run(agent(gate, marker, Scripted("fetch", {"url": "https://example.com"})))
    assert "secret_sent" in result.final_output
    assert not marker.exists()


def test_a_denied_call_ends_the_run_where_it_halts(gate: Gate, gated: Path) -> None:
    marker = gated / "marker"
    secret_is_known(gate, gated)
    with pytest.raises(ToolInputGuardrailTripwireTriggered):
        run(agent(gate, marker, Scripted("fetch", {"url": "https://example.com"}), halt=True))
    assert not marker.exists()


@pytest.mark.parametrize("approved", [True, False])
def test_what_is_asked_waits_for_a_person(gate: Gate, gated: Path, approved: bool) -> None:
    marker = gated / "marker"
    asking = agent(gate, marker, Scripted("deploy", {"place": "live"}))
    result = run(asking)
    assert len(result.interruptions) == 1 and not marker.exists()
    state = result.to_state()
    if approved:
        state.approve(result.interruptions[0])
    else:
        state.reject(result.interruptions[0])
    result = run(asking, state)
    assert marker.exists() == approved
    assert ("deployed to live" in result.final_output) == approved


def test_an_approval_counts_for_another_process_too(gate: Gate, gated: Path) -> None:
    marker, model = gated / "marker", Scripted("deploy", {"place": "live"})
    result = run(agent(gate, marker, model))
    kept = result.to_state().to_string()
    other = agent(Gate(gated / ".hence", program=None, cwd=str(gated)), marker, model)
    state = asyncio.run(RunState.from_string(other, kept))
    state.approve(state.get_interruptions()[0])
    assert run(other, state).final_output == "deployed to live"
    assert marker.read_text() == "live"


def test_an_approval_does_not_lift_a_denial(gate: Gate, gated: Path) -> None:
    marker = gated / "marker"
    model = Scripted("fetch", {"url": "https://example.com"})
    result = run(agent(gate, marker, model))
    assert len(result.interruptions) == 1
    secret_is_known(gate, gated)
    again = agent(Gate(gated / ".hence", program=None, cwd=str(gated)), marker, model)
    state = asyncio.run(RunState.from_string(again, result.to_state().to_string()))
    state.approve(state.get_interruptions()[0])
    assert "secret_sent" in run(again, state).final_output
    assert not marker.exists()


def test_without_a_gate_nothing_runs(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    dead = Gate(tmp_path / ".hence", program=None, timeout=1)
    result = run(agent(dead, marker, Scripted("weather", {"city": "Ulm"})))
    assert "the call does not run" in result.final_output
    assert not marker.exists()
