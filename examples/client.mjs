// An agent in JavaScript that lets hence decide: it asks before each tool call and reports after it.
//
//     HENCE=target/debug/hence node examples/client.mjs [STORE]
//
// Needs nothing but Node's own modules. Each line that goes to `hence decide --follow` is one transaction; the answer
// is a line for each decision drawn or lapsed, and ends with a line that says `committed` or `error`.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const HENCE = process.env.HENCE ?? "hence";

/** A `hence decide --follow` at work. */
class Hence {
  constructor(store) {
    this.store = store;
    const words = ["decide", "--follow", "--store", store, "--as", "client.mjs"];
    this.process = spawn(HENCE, words, { stdio: ["pipe", "pipe", "inherit"] });
    this.ended = new Promise((resolve) => this.process.on("close", resolve));
    this.answers = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  /** Sends one line as it is; what changed, and the line that ends the answer. */
  async send(line) {
    this.process.stdin.write(`${line}\n`);
    const changes = [];
    for (;;) {
      const { value, done } = await this.answers.next();
      if (done) throw new Error("hence ended");
      const answer = JSON.parse(value);
      if (answer.change === "committed" || answer.change === "error") return { changes, end: answer };
      changes.push(answer);
    }
  }

  /** Asserts a fact; the decisions drawn. */
  async tell(relation, ...values) {
    const { changes, end } = await this.send(JSON.stringify({ [relation]: values }));
    if (end.change === "error") throw new Error(end.errors[0].message);
    return changes.filter((change) => change.change === "drawn");
  }

  /** Ends the stream; hence's exit status. */
  close() {
    this.process.stdin.end();
    return this.ended;
  }

  /** The proof of a decision, as people read it. */
  why(decision) {
    return execFileSync(HENCE, ["why", decision.id, "--store", this.store], { encoding: "utf8" });
  }
}

/** The exit status of a stream of which a line was refused. */
const REFUSED = 2;

async function main(store) {
  const hence = new Hence(store);
  await hence.tell("now", "2026-02-10T09:00:00Z");
  let handled;
  for (const [index, tool] of ["web_search", "deploy"].entries()) {
    const run = index + 1;
    const verdicts = await hence.tell("tool_call", `call-${run}`, tool);
    for (const verdict of verdicts) console.log(`${verdict.relation}: ${verdict.because}`);
    if (verdicts.some((verdict) => verdict.relation === "tool_allowed")) {
      await hence.tell("tool_run", run, tool, "/marketing", false, "3s", "2026-02-10T09:00:01Z");
      await hence.tell("error", `run-${run}`, 40);
      handled = await hence.tell("error_signal", `run-${run}`, "/timed_out");
    }
  }
  const { end } = await hence.send('{"error": ["no length"]}');
  console.log(`a bad line: ${end.errors[0].message}`);
  const status = await hence.close();
  process.stdout.write(hence.why(handled[0]));
  return status === REFUSED ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), "hence-"));
try {
  process.exitCode = await main(process.argv[2] ?? join(folder, "store"));
} finally {
  rmSync(folder, { recursive: true });
}
