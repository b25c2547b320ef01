// hence as a child process, the socket of a ledger's owner, and the gate over both.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { Gate, Owner, Stream, Unreachable } from "../src/index.js";
import { read, written } from "../src/json.js";
import { folder, gated, HENCE, secretIsKnown, Service } from "./service.js";

/** @import { Streamed } from "../src/answers.d.ts" */

/** @param {string} [call] @param {string} [session] */
const weather = (call = "c1", session = "s1") => ({ tool: "weather", arguments: { city: "Ulm" }, session, call });

test("a stream answers each transaction", async (t) => {
  const stream = new Stream({ program: HENCE, cwd: folder(t, "service") });
  const answers = await Promise.all([
    stream.decide([{ tool_call: ["c1", "web_search"] }, { tool_call: ["c2", "deploy"] }]),
    stream.decide([{ tool_call: ["c3", "calculate"] }]),
  ]);
  const relations = answers.map(({ changes }) => changes.map((one) => one.relation));
  assert.deepEqual(relations, [["tool_allowed", "tool_blocked"], ["tool_allowed"]]);
  await assert.rejects(stream.decide([{ tool_call: ["c4"] }]), { code: "E609" });
  assert.equal((await stream.decide([], { retract: [{ tool_call: ["c1", "web_search"] }] })).end.lapsed, 1);
  assert.equal(await stream.close(), 2);
  await assert.rejects(stream.decide([{ tool_call: ["c5", "deploy"] }]), Unreachable);
});

test("what JSON has no form of is refused, and the next answer is that of the next call", async (t) => {
  const stream = new Stream({ program: HENCE, cwd: folder(t, "service") });
  /** @type {any} */
  const cycle = {};
  cycle.tool_call = cycle;
  for (const unwritten of [cycle, undefined, () => 1]) {
    assert.throws(() => stream.decide([{ tool_call: ["c1", "deploy"] }, unwritten]), TypeError);
  }
  assert.equal((await stream.decide([{ tool_call: ["c1", "web_search"] }])).changes[0]?.values[0], "web_search");
  assert.equal(await stream.close(), 0);
});

test("integers beyond the numbers of JavaScript are bigints where the runtime has them", () => {
  const knows = "rawJSON" in JSON;
  const text = '{"n":[9007199254740993,-5,1e300]}';
  assert.deepEqual(read(text), { n: [knows ? 9007199254740993n : 9007199254740992, -5, 1e300] });
  if (knows) assert.equal(written({ n: [9007199254740993n] }), '{"n":[9007199254740993]}');
  else assert.throws(() => written({ n: [9007199254740993n] }), RangeError);
  assert.equal(written({ n: 5n }), '{"n":5}');
});

test("what others record meanwhile is heard, and no answer of ours", async (t) => {
  const here = folder(t, "service");
  /** @type {(answer: Streamed) => void} */
  let hear = () => {};
  const came = new Promise((resolve) => (hear = resolve));
  const stream = new Stream({ program: HENCE, cwd: here, heard: (answer) => hear(answer) });
  await stream.decide([{ tool_call: ["c1", "web_search"] }]);
  execFileSync(HENCE, ["--quiet", "assert", 'tool_call("c2", "deploy")'], { cwd: here });
  assert.equal((await came).changes[0].values[0], "deploy");
  assert.equal((await stream.decide([{ tool_call: ["c3", "calculate"] }])).changes[0]?.values[0], "calculate");
  await stream.close();
});

test("a stream without a program is unreachable", async () => {
  await assert.rejects(new Stream({ program: "/nowhere/hence" }).decide([{ tool_call: ["c1", "web_search"] }]), Unreachable);
});

test("the owner says who it is", async (t) => {
  const service = await Service.begin(t);
  const owner = await new Owner(join(service.folder, ".hence")).status();
  assert.deepEqual([owner.process, owner.waiting], [service.process?.pid, 0]);
  await assert.rejects(new Owner(join(service.folder, "elsewhere")).status(), Unreachable);
});

test("the gate knows what a session did, and starts the owner", async (t) => {
  const { gate, here } = gated(t);
  assert.equal((await gate.judge(weather())).kind, "allow");
  assert.ok(await gate.ran(weather()));
  await secretIsKnown(gate, here);
  const page = { tool: "fetch", arguments: { url: "https://example.com" }, session: "s1", call: "c3" };
  const denied = await gate.judge(page);
  assert.equal(denied.kind, "deny");
  assert.match(denied.text, /secret_sent/);
  assert.notEqual((await gate.judge({ ...page, session: "s2", call: "c4" })).kind, "deny");
  const long = { path: join(here, "a"), content: "x".repeat(1_000_000) };
  assert.notEqual((await gate.judge({ tool: "write_file", arguments: long, session: "s2", call: "c5" })).kind, "deny");
  assert.ok(await gate.ended("s1"));
});

test("the gate asks a service that answers hooks", async (t) => {
  const running = await Service.begin(t, "gate");
  const service = running.client("pep", { timeout: 2_000 });
  if (!("/hook/{host}" in (await service.ask("GET", "/openapi.json")).paths)) return t.skip("this hence answers no hooks");
  const gate = new Gate({ service, cwd: running.folder });
  assert.equal((await gate.judge(weather())).kind, "allow");
  await secretIsKnown(gate, running.folder);
  const page = { tool: "fetch", arguments: { url: "https://example.com" }, session: "s1", call: "c2" };
  assert.equal((await gate.judge(page)).kind, "deny");
  assert.ok(await gate.ran(weather()));
  await running.kill();
  assert.equal((await gate.judge(weather("c3"))).kind, "deny");
});

test("the same call is judged once until it ran", async (t) => {
  const { gate } = gated(t);
  const first = await gate.judge(weather());
  assert.equal((await gate.judge(weather())).text, first.text);
  await gate.ran(weather());
  assert.notEqual((await gate.judge(weather())).text, first.text);
});

test("what is no verdict denies", async (t) => {
  const here = folder(t, "gate");
  const program = join(here, "hence");
  for (const output of [
    "", "no JSON", "{}", "[]", "null", '{"hookSpecificOutput": {"permissionDecision": "perhaps"}}', '{"hookSpecificOutput": []}',
  ]) {
    writeFileSync(program, `#!/bin/sh\ncat > /dev/null\ncat <<'END'\n${output}\nEND\n`);
    chmodSync(program, 0o755);
    assert.equal((await new Gate({ store: join(here, ".hence"), program }).judge(weather())).kind, "deny", output);
  }
  writeFileSync(program, "#!/bin/sh\nexec sleep 20\n");
  for (const gone of [program, null, join(here, "none")]) {
    assert.equal((await new Gate({ store: join(here, ".hence"), program: gone, timeout: 500 }).judge(weather())).kind, "deny");
  }
});

test("an owner that answers something else denies", async (t) => {
  const here = folder(t, "gate");
  mkdirSync(join(here, ".hence"));
  for (const answer of ["", "nonsense\n", "[]\n", "null\n", '{"hence":1,"refused":{"why":"busy","again":true}}\n', "x".repeat(2 << 20)]) {
    const server = createServer((wire) => {
      wire.on("error", () => {});
      wire.once("data", () => wire.end(answer));
    });
    await new Promise((resolve) => server.listen(join(here, ".hence/owner.sock"), () => resolve(undefined)));
    const gate = new Gate({ store: join(here, ".hence"), program: null });
    assert.equal((await gate.judge(weather())).kind, "deny");
    await new Promise((resolve) => server.close(resolve));
  }
});
