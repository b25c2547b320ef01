// The middleware for LangChain, with LangChain itself and a model that says what a script says.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { Command, MemorySaver } from "@langchain/langgraph";
import { AIMessage, createAgent, tool, ToolMessage } from "langchain";
import { z } from "zod";

import { governed } from "../src/agents/langchain.js";
import { Gate } from "../src/index.js";
import { folder, gated, secretIsKnown } from "./service.js";

/** @import { BaseMessage } from "@langchain/core/messages" */

/** Calls a tool, then says what it was told. */
class Scripted extends BaseChatModel {
  /** @param {string} name @param {Record<string, unknown>} args */
  constructor(name, args) {
    super({});
    this.call = { name, args };
  }

  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  /** @param {BaseMessage[]} messages */
  async _generate(messages) {
    const told = messages.filter((one) => one instanceof ToolMessage).map((one) => one.text);
    const message = told.length === 0
      ? new AIMessage({ content: "", tool_calls: [{ ...this.call, id: randomUUID() }] })
      : new AIMessage(told.join("; "));
    return { generations: [{ text: "", message }] };
  }
}

/**
 * An agent whose tools leave a mark where they run; what it says, and whether it was interrupted.
 *
 * @param {Gate} gate
 * @param {string} marker
 * @param {string} name
 * @param {string} what
 */
function agent(gate, marker, name, what) {
  /** @param {string} name @param {string} said */
  const marking = (name, said) => tool(async (/** @type {{ what: string }} */ { what }) => {
    writeFileSync(marker, what);
    return `${said} ${what}`;
  }, { name, description: said, schema: z.object({ what: z.string() }) });
  const made = createAgent({
    model: new Scripted(name, { what }),
    tools: [marking("weather", "sunny in"), marking("fetch", "fetched"), marking("deploy", "deployed to")],
    middleware: [governed(gate)],
    checkpointer: new MemorySaver(),
  });
  /** @param {any} said */
  return async (said) => {
    const result = await made.invoke(said, { configurable: { thread_id: "s1" } });
    const interrupts = /** @type {{ value: any }[]} */ (/** @type {any} */ (result).__interrupt__ ?? []);
    return { last: String(result.messages.at(-1)?.text), asked: interrupts[0]?.value };
  };
}

const GO = { messages: [{ role: "user", content: "go" }] };

/** @param {Record<string, unknown>} decision */
const answer = (decision) => new Command({ resume: { decisions: [decision] } });

test("an allowed call runs", async (t) => {
  const { gate, marker } = gated(t);
  assert.equal((await agent(gate, marker, "weather", "Ulm")(GO)).last, "sunny in Ulm");
  assert.equal(readFileSync(marker, "utf8"), "Ulm");
});

test("a denied call does not run, and the model is told why", async (t) => {
  const { gate, marker, here } = gated(t);
  await secretIsKnown(gate, here);
  assert.match((await agent(gate, marker, "fetch", "https://example.com")(GO)).last, /secret_sent/);
  assert.ok(!existsSync(marker));
});

test("what is asked runs once it is approved", async (t) => {
  const { gate, marker } = gated(t);
  const run = agent(gate, marker, "deploy", "live");
  assert.equal((await run(GO)).asked.actionRequests[0].name, "deploy");
  assert.ok(!existsSync(marker));
  assert.equal((await run(answer({ type: "approve" }))).last, "deployed to live");
  assert.equal(readFileSync(marker, "utf8"), "live");
});

test("what is rejected, or edited into another tool, does not run", async (t) => {
  const { gate, marker } = gated(t);
  const rejected = agent(gate, marker, "deploy", "live");
  await rejected(GO);
  assert.equal((await rejected(answer({ type: "reject", message: "not on a Friday" }))).last, "not on a Friday");
  const edited = agent(gate, marker, "deploy", "live");
  await edited(GO);
  const edit = { type: "edit", editedAction: { name: "weather", args: { what: "Ulm" } } };
  assert.match((await edited(answer(edit))).last, /another tool/);
  assert.ok(!existsSync(marker));
});

test("an edited call is judged again", async (t) => {
  const { gate, marker } = gated(t);
  const run = agent(gate, marker, "deploy", "live");
  await run(GO);
  const edit = { type: "edit", editedAction: { name: "deploy", args: { what: "test" } } };
  assert.deepEqual((await run(answer(edit))).asked.actionRequests[0].args, { what: "test" });
  assert.ok(!existsSync(marker));
  assert.equal((await run(answer({ type: "approve" }))).last, "deployed to test");
});

test("a tool that keeps failing is denied", async (t) => {
  const { gate, marker } = gated(t);
  // A mark can't be left where a folder is.
  mkdirSync(marker);
  for (let turn = 0; turn < 3; turn++) await agent(gate, marker, "weather", "Ulm")(GO).catch(() => {});
  assert.match((await agent(gate, marker, "weather", "Ulm")(GO)).last, /failed_before/);
});

test("without a gate nothing runs", async (t) => {
  const marker = `${folder(t, "gate")}/marker`;
  const dead = new Gate({ store: "/nowhere", program: null, timeout: 1_000 });
  assert.match((await agent(dead, marker, "weather", "Ulm")(GO)).last, /the call does not run/);
  assert.ok(!existsSync(marker));
});
