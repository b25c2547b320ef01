// hence as a child process: facts go to its standard input, decisions come from its standard output, both as JSON lines.

import { spawn } from "node:child_process";

import { HenceError, Unreachable } from "./errors.js";
import { read, written } from "./json.js";
import { eachLine } from "./lines.js";

/** @import { Fact, Streamed } from "./answers.d.ts" */

/** How long the process may take to end once its input has, in milliseconds. */
const PATIENCE = 30_000;

/**
 * A `hence decide --follow` at work, which owns its ledger meanwhile.
 *
 * Each `decide` is a transaction, and is answered within `timeout` milliseconds. What others record and what the clock brings
 * goes to `heard`; it is in the ledger all the same.
 */
export class Stream {
  #process;
  #timeout;
  #heard;
  /** @type {{ resolve: (answer: Streamed) => void, reject: (error: Error) => void }[]} */
  #waiting = [];
  /** @type {Record<string, any>[]} */
  #changes = [];
  /** @type {Promise<number>} */
  #ended;
  #isOver = false;

  /**
   * @param {{ store?: string, author?: string, program?: string, arguments?: string[], cwd?: string, timeout?: number,
   *   longest?: number, heard?: (answer: Streamed) => void }} [options]
   */
  constructor({ store = ".hence", author = "hence-js", program = "hence", arguments: more = [], cwd, timeout = 60_000,
    longest = 64 << 20, heard = () => {} } = {}) {
    const words = ["decide", "--follow", "--batch", "--store", store, "--as", author, ...more];
    this.#process = spawn(program, words, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    this.#timeout = timeout;
    this.#heard = heard;
    this.#ended = new Promise((resolve) => {
      this.#process.on("error", (error) => this.#end(error));
      this.#process.on("close", (status) => resolve(status ?? 1));
    });
    // A process that is gone is told of by its end.
    this.#process.stdin.on("error", () => {});
    this.#process.stdout.on("error", (error) => this.#end(error));
    this.#process.stdout.on("close", () => this.#end());
    eachLine(this.#process.stdout, longest, (line) => this.#take(line));
  }

  /**
   * Records facts in one transaction: what it changed, and the line that ends the answer.
   *
   * @param {Iterable<Fact>} [facts]
   * @param {{ retract?: Iterable<Fact> }} [options]
   * @returns {Promise<Streamed>}
   */
  decide(facts = [], { retract = [] } = {}) {
    // What can't be written is refused before anything waits for an answer: the next one is that of another call.
    const lines = [...Array.from(facts, written), ...Array.from(retract, (fact) => `{"retract":${written(fact)}}`)];
    if (lines.length === 0) throw new TypeError("there is no fact to record");
    if (this.#isOver || this.#process.stdin.writableEnded) return Promise.reject(new Unreachable("hence ended"));
    const { promise, ...waits } = withResolvers();
    // A process that doesn't answer is ended: nobody knows then which answer is whose.
    const late = setTimeout(() => this.#end(new Error("it took too long")), this.#timeout);
    this.#waiting.push(waits);
    this.#process.stdin.write(`${lines.join("\n")}\n\n`);
    return promise.finally(() => clearTimeout(late));
  }

  /**
   * Ends the stream; its exit status, which is 2 where something was refused.
   *
   * @returns {Promise<number>}
   */
  async close() {
    this.#process.stdin.end();
    const late = setTimeout(() => this.#process.kill("SIGKILL"), PATIENCE);
    return this.#ended.finally(() => clearTimeout(late));
  }

  /** @param {string} line */
  #take(line) {
    try {
      const said = read(line);
      if (said.change !== "committed" && said.change !== "error") {
        this.#changes.push(said);
        return;
      }
      const answer = { changes: this.#changes, end: said };
      this.#changes = [];
      if (typeof said.line !== "number") this.#heard(answer);
      else if (said.change === "committed") this.#waiting.shift()?.resolve(answer);
      else this.#waiting.shift()?.reject(refused(said));
    } catch (error) {
      this.#end(error);
    }
  }

  /** @param {unknown} [cause] */
  #end(cause) {
    this.#isOver = true;
    this.#process.kill("SIGKILL");
    const why = cause instanceof Error ? `hence gave no answer: ${cause.message}` : "hence ended";
    for (const { reject } of this.#waiting.splice(0)) reject(new Unreachable(why, { cause }));
  }
}

/** A promise of an answer, with what settles it. */
function withResolvers() {
  /** @type {(answer: Streamed) => void} */
  let resolve = () => {};
  /** @type {(error: Error) => void} */
  let reject = () => {};
  /** @type {Promise<Streamed>} */
  const promise = new Promise((whenDone, whenNot) => {
    [resolve, reject] = [whenDone, whenNot];
  });
  return { promise, resolve, reject };
}

/** @param {Record<string, any>} said */
function refused(said) {
  const diagnostics = said.errors ?? [];
  return new HenceError(diagnostics[0]?.message ?? "the facts were refused", { diagnostics });
}
