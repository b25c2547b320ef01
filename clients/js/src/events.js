// Transactions as they come: server-sent events that go on where a lost connection ended.

import { setTimeout as sleep } from "node:timers/promises";

import { HenceError, Unreachable } from "./errors.js";
import { read } from "./json.js";

/** @import { Transaction } from "./answers.d.ts" */

/** How long nothing may come, in milliseconds; the service says something every 15 s. */
const SILENCE = 40_000;
/** How long to wait before connecting again. */
const PAUSE = 200;

/**
 * The transactions after `last`, each once and in order.
 *
 * @param {(last: number, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>} listen
 * @param {number} last
 * @param {{ patience: number, longest: number, signal?: AbortSignal }} limits
 * @returns {AsyncGenerator<Transaction, void, undefined>}
 */
export async function* changes(listen, last, { patience, longest, signal }) {
  let heard = Date.now();
  while (!signal?.aborted) {
    const line = new AbortController();
    const end = () => line.abort();
    signal?.addEventListener("abort", end);
    let silence = setTimeout(end, SILENCE);
    const hear = () => {
      heard = Date.now();
      silence.refresh();
    };
    try {
      for await (const found of events(await listen(last, line.signal), longest, hear)) {
        if (found.transaction <= last) continue;
        last = found.transaction;
        // Whoever takes long over a transaction has not lost the connection.
        clearTimeout(silence);
        yield found;
        silence = setTimeout(end, SILENCE);
        hear();
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof HenceError && !(error instanceof Unreachable)) throw error;
      if (Date.now() >= heard + patience) {
        throw new Unreachable(`the changes after transaction ${last} don't come: ${error}`, { cause: error });
      }
    } finally {
      clearTimeout(silence);
      signal?.removeEventListener("abort", end);
      line.abort();
    }
    await sleep(PAUSE, undefined, { signal }).catch(() => {});
  }
}

/**
 * The events that came whole; one that was cut off comes again.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @param {number} longest
 * @param {() => void} hear
 * @returns {AsyncGenerator<Transaction, void, undefined>}
 */
async function* events(body, longest, hear) {
  let text = "";
  let data = "";
  const decoder = new TextDecoder();
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (body))) {
    hear();
    text += decoder.decode(chunk, { stream: true });
    if (text.length + data.length > longest) throw new HenceError(`a transaction has more than ${longest} bytes`);
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines.map((one) => one.replace(/\r$/, ""))) {
      if (line.startsWith("data:")) {
        data += line.slice(5).replace(/^ /, "");
      } else if (line === "" && data !== "") {
        const found = read(data);
        data = "";
        yield found;
      }
    }
  }
  throw new Unreachable("the connection ended");
}
