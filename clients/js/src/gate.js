// The gate: rules decide on each tool call of an agent, and know what its session did before. It fails closed.

import { spawn } from "node:child_process";
import { resolve } from "node:path";

import { Unreachable } from "./errors.js";
import { Owner } from "./owner.js";

/** @import { Hence } from "./http.js" */
/** @import { Judged } from "./owner.js" */

/** How many verdicts are remembered, so that a call that was interrupted is not judged twice. */
const REMEMBERED = 4096;
/** How many bytes `hence gate` may print. */
const LONGEST = 1 << 20;

/**
 * What becomes of a call; `text` says by which rule, why, and what to do next.
 * @typedef {{ kind: "allow" | "ask" | "deny", text: string }} Verdict
 */
/**
 * A call: a tool with its arguments, the session that it belongs to, and its id.
 * @typedef {{ tool: string, arguments: Record<string, unknown>, session: string, call: string }} Call
 */

/**
 * Judges calls by the rules of the owner of the ledger in `store`, and has `program` start one where none runs.
 *
 * With a `service` it asks that over HTTP instead (`POST /hook/claude`), by a token with the scope `decide`.
 *
 * What is no verdict is a denial: no owner, no answer within `timeout` milliseconds, an answer that nobody understands. `cwd`
 * is the agent's working directory.
 */
export class Gate {
  #owner;
  #options;
  /** @type {Map<string, Verdict>} */
  #known = new Map();

  /**
   * @param {{ store?: string, service?: Hence, program?: string | null, cwd?: string, agent?: string, timeout?: number }} [options]
   */
  constructor({ store = ".hence", service, program = "hence", cwd = process.cwd(), agent = "", timeout = 3_000 } = {}) {
    this.#owner = new Owner(store, { timeout });
    this.#options = { store, service, program, cwd: resolve(cwd), agent, timeout };
  }

  /**
   * The verdict on a call before it runs; the very same call is judged once until it ran.
   *
   * @param {Call} call
   * @returns {Promise<Verdict>}
   */
  async judge(call) {
    try {
      const name = nameOf(call);
      const known = this.#known.get(name);
      if (known !== undefined) return known;
      const verdict = verdictOf(await this.#told("PreToolUse", call.session, fields(call)));
      this.#known.set(name, verdict);
      for (const old of this.#known.keys()) {
        if (this.#known.size <= REMEMBERED) break;
        this.#known.delete(old);
      }
      return verdict;
    } catch (error) {
      // Whatever goes wrong, there is no verdict.
      const why = error instanceof Error ? error.message : String(error);
      return { kind: "deny", text: `hence gave no verdict, so the call does not run: ${why}` };
    }
  }

  /**
   * Tells that a call ran; whether that was recorded. One that ran unjudged shows as `ungated`.
   *
   * @param {Call} call
   * @param {boolean} [ok]
   * @returns {Promise<boolean>}
   */
  ran(call, ok = true) {
    this.#known.delete(nameOf(call));
    return this.#tell(ok ? "PostToolUse" : "PostToolUseFailure", call.session, { ...fields(call), tool_response: {} });
  }

  /**
   * Tells that a session is over, whose facts go; whether that was recorded.
   *
   * @param {string} session
   * @returns {Promise<boolean>}
   */
  ended(session) {
    return this.#tell("SessionEnd", session, { reason: "other" });
  }

  /** @param {string} name @param {string} session @param {Record<string, unknown>} more */
  #tell(name, session, more) {
    return this.#told(name, session, more).then(({ status }) => status === 0, () => false);
  }

  /**
   * @param {string} name
   * @param {string} session
   * @param {Record<string, unknown>} more
   * @returns {Promise<Judged>}
   */
  async #told(name, session, more) {
    const { cwd, agent, program, service } = this.#options;
    const event = { hook_event_name: name, session_id: session, cwd, transcript_path: "", ...more };
    const whole = agent === "" ? event : { ...event, agent_id: agent };
    if (service !== undefined) {
      const answer = await service.ask("POST", "/hook/claude", { body: whole });
      return { output: JSON.stringify(answer), error: answer.error ?? null, status: answer.status ?? 0 };
    }
    try {
      return await this.#owner.judge(whole);
    } catch (error) {
      if (!(error instanceof Unreachable) || program === null) throw error;
      return this.#started(program, JSON.stringify(whole));
    }
  }

  /**
   * The same by a process that starts the owner.
   *
   * @param {string} program
   * @param {string} event
   * @returns {Promise<Judged>}
   */
  #started(program, event) {
    const { store, timeout } = this.#options;
    return new Promise((done, failed) => {
      const hook = spawn(program, ["gate", "--host", "claude", "--store", store]);
      const late = setTimeout(() => hook.kill("SIGKILL"), timeout);
      const said = { output: "", error: "" };
      /** @param {"output" | "error"} where */
      const take = (where) => (/** @type {string} */ chunk) => {
        said[where] += chunk;
        if (said[where].length > LONGEST) hook.kill("SIGKILL");
      };
      hook.stdout.setEncoding("utf8").on("data", take("output"));
      hook.stderr.setEncoding("utf8").on("data", take("error"));
      hook.stdin.on("error", () => {});
      hook.on("error", failed);
      hook.on("close", (status) => {
        clearTimeout(late);
        if (status === null) failed(new Unreachable("`hence gate` took too long"));
        else done({ ...said, status });
      });
      hook.stdin.end(event);
    });
  }
}

/** @param {Call} call */
function fields({ tool, arguments: input, call }) {
  return { tool_name: tool, tool_input: input, tool_use_id: call };
}

/** @param {Call} call */
function nameOf({ tool, arguments: input, session, call }) {
  return JSON.stringify([session, call, tool, input]);
}

/**
 * What the answer for Claude Code means; anything but a clear word denies.
 *
 * @param {Judged} judged
 * @returns {Verdict}
 */
function verdictOf({ output, error, status }) {
  if (status !== 0) return { kind: "deny", text: (error || "hence refused to judge the call").trim() };
  const { permissionDecision: kind, permissionDecisionReason: text } = JSON.parse(output || "{}").hookSpecificOutput ?? {};
  if (kind === "allow" || kind === "ask") return { kind, text: String(text ?? "") };
  return { kind: "deny", text: String(text ?? "hence gave no verdict, so the call does not run") };
}
