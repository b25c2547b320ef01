// What the service answers over HTTP, and what goes wrong on the way.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";

import { Hence, HenceError, Unreachable } from "../src/index.js";
import { Service } from "./service.js";

const AGENT = { type: "agent", id: "a1" };

test("facts are decided on, and questions about them answered", async (t) => {
  const hence = (await Service.begin(t)).client();
  const outcome = await hence.decide([{ tool_call: ["c1", "web_search"] }]);
  assert.equal(outcome.drawn?.[0]?.because, "web_search is safe at level 1");
  assert.deepEqual((await hence.query("tool_allowed(Tool)", { minTx: outcome.tx })).rows, [{ Tool: "web_search" }]);
  assert.equal((await hence.why('tool_allowed("web_search")')).holds, 1);
  assert.equal((await hence.proof("1.1")).rule, "safe_at_this_level");
  assert.equal((await hence.decisions("tool_allowed")).total, 1);
  assert.deepEqual((await hence.facts("tool_call")).facts, [{ call: "c1", tool: "web_search" }]);
  const lacking = (await hence.whyNot('tool_allowed("deploy")')).rules[0];
  assert.equal(lacking?.message, 'tool_call(tool: "deploy", _) is missing');
  const { changes } = await hence.whatIf([{ tool_call: ["c2", "deploy"] }]);
  assert.deepEqual(changes.map((one) => one.decision), [{ tool_blocked: ["deploy", "/not_safe_at_level"] }]);
  const gone = await hence.decide([], { retract: [{ tool_call: ["c1", "web_search"] }] });
  assert.equal(gone.lapsed?.[0]?.id, "1.1");
  assert.ok((await hence.decide([{ tool_call: ["c3", "web_search"] }], { dry: true })).drawn?.length);
  assert.equal((await hence.status()).transactions, 2);
});

test("a key records once", async (t) => {
  const hence = (await Service.begin(t)).client();
  const facts = [{ tool_call: ["c1", "web_search"] }, { tool_call: ["c2", "calculate"] }];
  const first = await hence.assertFacts(facts, { key: "k1", note: "both" });
  const again = await hence.assertFacts(facts, { key: "k1", note: "both" });
  assert.deepEqual([first.asserted, again.repeated, again.committed], [2, true, first.committed]);
  await assert.rejects(hence.assertFacts(facts.slice(1), { key: "k1" }), { status: 422 });
});

test("faulty facts are an error with code and help, and nobody is let in without a token", async (t) => {
  const service = await Service.begin(t);
  await assert.rejects(service.client().decide([{ tool_call: ["c1", 5] }]), {
    name: "HenceError", status: 422, code: "E613", help: ['write `"5"`'],
    message: 'E613: expected a string, found the int `5`; write `"5"`',
  });
  await assert.rejects(new Hence(service.base).status(), { name: "HenceError", status: 401 });
});

test("a reviewer approves and rejects", async (t) => {
  const service = await Service.begin(t);
  const [agent, ada] = [service.client(), service.client("ada")];
  await ada.assertFacts([{ reviewer: ["ada"] }]);
  for (const name of ["p1", "p2"]) {
    await agent.decide([
      { proposal: [name, "/playbook_suggestion", 0.72, new Date().toISOString()] },
      { proposal_content: [name, "/value", "Answer in one sentence"] },
    ]);
  }
  const [first, second] = (await agent.reviews()).map((one) => one.id);
  await assert.rejects(agent.approve(first), { status: 403 });
  await ada.approve(first, "fine", { value: "Answer in a sentence" });
  await ada.reject(second, "too short");
  assert.deepEqual(await ada.reviews(), []);
});

test("AuthZEN permits and denies with reasons", async (t) => {
  const hence = (await Service.begin(t)).client();
  assert.equal((await hence.evaluate(AGENT, "use", { type: "tool", id: "web_search" })).decision, true);
  const denied = await hence.evaluate(AGENT, { name: "use" }, { type: "tool", id: "deploy" }, { why: "release" });
  assert.equal(denied.context.because, "deploy is none of the tools that are safe at level 1");
  const resources = ["deploy", "web_search"].map((id) => ({ resource: { type: "tool", id } }));
  const several = await hence.evaluateAll(resources, { subject: AGENT, action: { name: "use" } }, "deny_on_first_deny");
  assert.deepEqual(several.map((one) => one.decision), [false]);
});

test("changes go on over kills, once and in order", async (t) => {
  const service = await Service.begin(t);
  const hence = service.client();
  /** @type {number[]} */
  const seen = [];
  const listening = (async () => {
    for await (const { transaction } of hence.changes({ after: 0, patience: 30_000 })) {
      if (seen.push(transaction) === 12) return;
    }
  })();
  for (let turn = 0; turn < 3; turn++) {
    for (let number = 0; number < 4; number++) await hence.decide([{ tool_call: [`c${turn}-${number}`, "web_search"] }]);
    await service.kill();
    await service.start();
  }
  await listening;
  assert.deepEqual(seen, Array.from({ length: 12 }, (_, at) => at + 1));
  const signal = AbortSignal.timeout(1_000);
  const rest = [];
  for await (const { transaction } of hence.changes({ after: 9, signal })) rest.push(transaction);
  assert.deepEqual(rest, [10, 11, 12]);
});

test("a service that is gone is unreachable in time", async (t) => {
  const service = await Service.begin(t);
  const hence = service.client("pep", { timeout: 1_000 });
  await service.kill();
  const begun = Date.now();
  await assert.rejects(hence.decide([{ tool_call: ["c1", "web_search"] }]), Unreachable);
  await assert.rejects(hence.changes({ after: 0, patience: 500 }).next(), Unreachable);
  assert.ok(Date.now() - begun < 5_000);
});

test("an answer that is cut off, foreign, too long or late is an error", async (t) => {
  for (const answer of [
    "", 'HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{"tx": 1', "HTTP/1.1 200 OK\r\n\r\n[]", "nonsense\r\n\r\n",
    "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\n{}", `HTTP/1.1 200 OK\r\n\r\n${"x".repeat(5000)}`, undefined,
  ]) {
    const server = createServer((wire) => {
      wire.on("error", () => {});
      if (answer !== undefined) wire.once("data", () => wire.end(answer));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    t.after(() => server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    await assert.rejects(new Hence(`http://127.0.0.1:${port}`, { timeout: 600, longest: 1000 }).status(), HenceError);
  }
});
