// The adapter for OpenAI's Agents SDK, with the SDK itself and a model that says what a script says.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

import { Agent, Runner, RunState, setTracingDisabled, tool, Usage } from "@openai/agents";
import { z } from "zod";

import { governed } from "../src/agents/openai.js";
import { Gate } from "../src/index.js";
import { folder, gated, secretIsKnown } from "./service.js";

/** @import { Model, ModelRequest, ModelResponse } from "@openai/agents" */

setTracingDisabled(true);

/**
 * A model that calls one tool, then says what it was told.
 *
 * @param {string} name
 * @param {Record<string, unknown>} input
 * @returns {Model}
 */
function scripted(name, input) {
  return {
    /** @param {ModelRequest} request @returns {Promise<ModelResponse>} */
    async getResponse({ input: items }) {
      const told = Array.isArray(items) ? items.filter((item) => item.type === "function_call_result") : [];
      const last = told.at(-1)?.output;
      const text = typeof last === "string" ? last : JSON.stringify(last);
      return {
        usage: new Usage(),
        output: told.length === 0
          ? [{ type: "function_call", callId: "call-1", name, arguments: JSON.stringify(input), status: "completed" }]
          : [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] }],
      };
    },
    getStreamedResponse() {
      throw new Error("nothing streams here");
    },
  };
}

/**
 * An agent whose tools leave a mark where they run.
 *
 * @param {Gate} gate
 * @param {string} marker
 * @param {Model} model
 * @param {{ halt?: boolean }} [options]
 */
function agent(gate, marker, model, options = {}) {
  /** @param {string} name @param {string} said */
  const marking = (name, said) => tool({
    name,
    description: said,
    parameters: z.object({ what: z.string() }),
    async execute({ what }) {
      writeFileSync(marker, what);
      return `${said} ${what}`;
    },
  });
  const tools = [marking("weather", "sunny in"), marking("fetch", "fetched"), marking("deploy", "deployed to")];
  return new Agent({ name: "tester", model, tools: tools.map((one) => governed(one, gate, { session: "s1", ...options })) });
}

const runner = new Runner({ tracingDisabled: true });

test("an allowed call runs", async (t) => {
  const { gate, marker } = gated(t);
  const result = await runner.run(agent(gate, marker, scripted("weather", { what: "Ulm" })), "go");
  assert.match(String(result.finalOutput), /sunny in Ulm/);
  assert.equal(readFileSync(marker, "utf8"), "Ulm");
});

test("a denied call does not run, and the model is told why", async (t) => {
  const { gate, marker, here } = gated(t);
  await secretIsKnown(gate, here);
  const model = scripted("fetch", { what: "https://example.com" });
  assert.match(String((await runner.run(agent(gate, marker, model), "go")).finalOutput), /secret_sent/);
  await assert.rejects(runner.run(agent(gate, marker, model, { halt: true }), "go"), /ToolInputGuardrailTripwireTriggered/);
  assert.ok(!existsSync(marker));
});

for (const approved of [true, false]) {
  test(`what is asked waits for a person, who says ${approved}`, async (t) => {
    const { gate, marker } = gated(t);
    const asking = agent(gate, marker, scripted("deploy", { what: "live" }));
    const { state, interruptions } = await runner.run(asking, "go");
    const [asked] = interruptions;
    assert.ok(asked !== undefined && !existsSync(marker));
    if (approved) state.approve(asked);
    else state.reject(asked);
    const { finalOutput } = await runner.run(asking, state);
    assert.equal(existsSync(marker), approved);
    assert.equal(/deployed to live/.test(String(finalOutput)), approved);
  });
}

test("an approval counts for another process, and does not lift a denial", async (t) => {
  const { gate, marker, here, store } = gated(t);
  for (const [name, ends] of /** @type {const} */ ([["deploy", /deployed to/], ["fetch", /secret_sent/]])) {
    const model = scripted(name, { what: "live" });
    const kept = (await runner.run(agent(gate, marker, model), "go")).state.toString();
    if (name === "fetch") await secretIsKnown(gate, here);
    writeFileSync(marker, "nothing");
    const other = agent(new Gate({ store, program: null, cwd: here }), marker, model);
    const state = await RunState.fromString(other, kept);
    for (const asked of state.getInterruptions()) state.approve(asked);
    assert.match(String((await runner.run(other, state)).finalOutput), ends);
    assert.equal(readFileSync(marker, "utf8"), name === "deploy" ? "live" : "nothing");
  }
});

test("without a gate nothing runs", async (t) => {
  const marker = `${folder(t, "gate")}/marker`;
  const dead = new Gate({ store: "/nowhere", program: null, timeout: 1_000 });
  const result = await runner.run(agent(dead, marker, scripted("weather", { what: "Ulm" })), "go");
  assert.match(String(result.finalOutput), /the call does not run/);
  assert.ok(!existsSync(marker));
});
