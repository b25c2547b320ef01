// The socket of the process that owns a ledger, `owner.sock` in its folder: a line to it, a line from it.

import { connect } from "node:net";
import { join } from "node:path";

import { HenceError, Unreachable } from "./errors.js";
import { eachLine } from "./lines.js";

/** How many bytes an answer has at most. */
const LONGEST = 1 << 20;
/** How many bytes an event of a host has at most. */
const LARGEST = 4 << 20;

/**
 * Who owns a ledger.
 * @typedef {{ process: number, command: string, waiting: number }} Standing
 */
/**
 * What a host is told about an event: on standard output, on standard error, and by which exit status.
 * @typedef {{ output: string | null, error: string | null, status: number }} Judged
 */

/** The owner of the ledger in `store`, on this machine and of the same user. Each answer comes within `timeout` milliseconds. */
export class Owner {
  #path;
  #timeout;

  /**
   * @param {string} [store]
   * @param {{ timeout?: number }} [options]
   */
  constructor(store = ".hence", { timeout = 3_000 } = {}) {
    this.#path = join(store, "owner.sock");
    this.#timeout = timeout;
  }

  /**
   * Who it is.
   *
   * @returns {Promise<Standing>}
   */
  status() {
    return this.#ask({ status: {} }, "owner");
  }

  /**
   * The verdict on an event, in the words of its host.
   *
   * @param {Record<string, unknown>} event
   * @param {{ host?: string, shadow?: boolean }} [options]
   * @returns {Promise<Judged>}
   */
  async judge(event, { host = "claude", shadow = false } = {}) {
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > LARGEST) throw new HenceError(`the event has more than ${LARGEST} bytes`);
    return this.#ask({ gate: { host, shadow, event: text } }, "judged");
  }

  /**
   * @param {Record<string, unknown>} wish
   * @param {string} answer
   * @returns {Promise<any>}
   */
  async #ask(wish, answer) {
    let said;
    try {
      // Without blanks, as `JSON.stringify` writes it: a line with an event may be long only if it begins so.
      said = JSON.parse(await this.#line(`${JSON.stringify({ hence: 1, ...wish })}\n`));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Unreachable(`no owner answers at \`${this.#path}\`: ${why}`, { cause: error });
    }
    const found = said?.[answer];
    if (found !== undefined) return found;
    throw new HenceError(said?.refused?.why ?? `the owner answered without \`${answer}\``);
  }

  /**
   * @param {string} line
   * @returns {Promise<string>}
   */
  #line(line) {
    return new Promise((resolve, reject) => {
      const wire = connect(this.#path);
      const late = setTimeout(() => wire.destroy(new Error("it took too long")), this.#timeout);
      wire.on("error", reject);
      wire.on("close", () => {
        clearTimeout(late);
        reject(new Error("the answer was cut off"));
      });
      eachLine(wire, LONGEST, (found) => {
        resolve(found);
        wire.destroy();
      });
      wire.write(line);
    });
  }
}
