// A program in TypeScript that uses the package: its types say what they should.

import { type Decision, Gate, Hence, HenceError, Stream, type Verdict } from "hence";

const hence = new Hence("http://127.0.0.1:7433", { token: "t" });
const outcome = await hence.decide([{ tool_call: ["c1", "web_search"] }]);
const drawn: Decision[] | undefined = outcome.drawn;
for await (const { transaction } of hence.changes({ after: outcome.tx })) transaction.toFixed();
const verdict: Verdict = await new Gate().judge({ tool: "read", arguments: {}, session: "s1", call: "c1" });
const end = (await new Stream().decide([])).end;
if (verdict.kind === "deny") throw new HenceError(String([drawn, end]), { status: 403 });
// @ts-expect-error: a call has a session.
await new Gate().judge({ tool: "read", arguments: {}, call: "c1" });
