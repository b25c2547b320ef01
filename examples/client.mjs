// An agent in JavaScript that lets hence decide: it asks before each tool call and reports after it.
//
//     HENCE=target/debug/hence node examples/client.mjs [STORE]
//
// `hence` here is the package of `clients/js`, which needs nothing but Node's own modules.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Stream } from "../clients/js/src/index.js";

const HENCE = process.env.HENCE ?? "hence";
/** The exit status of a stream of which something was refused. */
const REFUSED = 2;

/** Calls two tools as far as they are allowed; the decision on what went wrong. */
async function day(stream) {
  await stream.decide([{ now: ["2026-02-10T09:00:00Z"] }]);
  let handled;
  for (const [index, tool] of ["web_search", "deploy"].entries()) {
    const run = index + 1;
    const { changes } = await stream.decide([{ tool_call: [`call-${run}`, tool] }]);
    for (const verdict of changes) console.log(`${verdict.relation}: ${verdict.because}`);
    if (changes.some((verdict) => verdict.relation === "tool_allowed")) {
      const ran = { tool_run: [run, tool, "/marketing", false, "3s", "2026-02-10T09:00:01Z"] };
      await stream.decide([ran, { error: [`run-${run}`, 40] }]);
      [handled] = (await stream.decide([{ error_signal: [`run-${run}`, "/timed_out"] }])).changes;
    }
  }
  return handled;
}

async function main(store) {
  const stream = new Stream({ store, author: "client.mjs", program: HENCE });
  const handled = await day(stream);
  await stream.decide([{ error: ["no length"] }]).catch((error) => console.log(`a bad line: ${error.message}`));
  const status = await stream.close();
  process.stdout.write(execFileSync(HENCE, ["why", handled.id, "--store", store], { encoding: "utf8" }));
  return status === REFUSED ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), "hence-"));
try {
  process.exitCode = await main(process.argv[2] ?? join(folder, "store"));
} finally {
  rmSync(folder, { recursive: true });
}
