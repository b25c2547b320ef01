// hence decides, by rules that say why, what an agent may do: over HTTP (`Hence`), as a child process (`Stream`), by the
// socket of a ledger's owner (`Owner`), and tool call by tool call (`Gate`, `hence/agents/…`).

export { HenceError, Unreachable } from "./errors.js";
export { Gate } from "./gate.js";
export { Hence } from "./http.js";
export { Owner } from "./owner.js";
export { Stream } from "./stream.js";

/** @typedef {import("./gate.js").Call} Call */
/** @typedef {import("./gate.js").Verdict} Verdict */
/** @typedef {import("./owner.js").Judged} Judged */
/** @typedef {import("./owner.js").Standing} Standing */
/** @typedef {import("./errors.js").Diagnostic} Diagnostic */
/** @typedef {import("./answers.d.ts").Answer} Answer */
/** @typedef {import("./answers.d.ts").Decision} Decision */
/** @typedef {import("./answers.d.ts").Evaluation} Evaluation */
/** @typedef {import("./answers.d.ts").Fact} Fact */
/** @typedef {import("./answers.d.ts").Outcome} Outcome */
/** @typedef {import("./answers.d.ts").Proof} Proof */
/** @typedef {import("./answers.d.ts").Streamed} Streamed */
/** @typedef {import("./answers.d.ts").Transaction} Transaction */
