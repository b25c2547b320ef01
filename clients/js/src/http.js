// The service over HTTP.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { HenceError, Unreachable } from "./errors.js";
import { changes } from "./events.js";
import { read, written } from "./json.js";

/** @import { Decisions, Entity, Evaluation, Fact, Facts, Moment, Outcome, Proof, Proofs, Rows, Transaction, WhatIf, WhyNot } from "./answers.d.ts" */

/** How long to wait before a request is sent again, in milliseconds. */
const PAUSE = 200;

/**
 * A service of hence, such as `new Hence("http://127.0.0.1:7433", { token })`.
 *
 * Every request ends within `timeout` milliseconds, and no answer has more than `longest` bytes. Reads, and what is recorded
 * under a key, are sent again for as long as there is time.
 */
export class Hence {
  #base;
  #token;
  #timeout;
  #longest;

  /**
   * @param {string} base
   * @param {{ token?: string, timeout?: number, longest?: number }} [options]
   */
  constructor(base, { token, timeout = 10_000, longest = 64 << 20 } = {}) {
    const { protocol } = new URL(base);
    if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`\`${base}\`: expected http:// or https://`);
    this.#base = base.replace(/\/+$/, "");
    this.#token = token;
    this.#timeout = timeout;
    this.#longest = longest;
  }

  /**
   * Sends one request of `/openapi.json`; a text is sent as JSON lines, anything else as JSON. What is `again` may be sent
   * twice: every GET, and what has a key.
   *
   * @param {string} method
   * @param {string} path
   * @param {{ body?: unknown, query?: Record<string, unknown>, key?: string, again?: boolean }} [options]
   * @returns {Promise<any>}
   */
  async ask(method, path, { body, query = {}, key, again = method === "GET" || key !== undefined } = {}) {
    const until = Date.now() + this.#timeout;
    for (;;) {
      try {
        return await this.#once(method, path, { body, query, key, until });
      } catch (error) {
        if (!(error instanceof Unreachable) || !again || Date.now() + PAUSE >= until) throw error;
      }
      await sleep(PAUSE);
    }
  }

  /**
   * Records facts in one transaction and says what they decide; `dry` records nothing. It is recorded once, under `key` or one
   * of its own.
   *
   * @param {Iterable<Fact>} [facts]
   * @param {{ retract?: Iterable<Fact>, dry?: boolean, key?: string, expectTx?: number, note?: string }} [options]
   * @returns {Promise<Outcome>}
   */
  decide(facts = [], { retract = [], dry = false, key = randomUUID(), expectTx, note } = {}) {
    const body = { facts: [...facts], retract: [...retract], dry, expect_tx: expectTx, note };
    return this.ask("POST", "/v1/decide", { body, key: dry ? undefined : key, again: true });
  }

  /**
   * Records facts as JSON lines in one transaction, `{"retract": …}` among them: what a large change is sent by.
   *
   * @param {Iterable<Fact>} facts
   * @param {{ key?: string, expectTx?: number, note?: string }} [options]
   * @returns {Promise<Outcome>}
   */
  assertFacts(facts, { key = randomUUID(), expectTx, note } = {}) {
    const body = Array.from(facts, (fact) => `${written(fact)}\n`).join("");
    return this.ask("POST", "/v1/facts", { body, key, query: { expect_tx: expectTx, note } });
  }

  /**
   * The matches of a rule body, such as `tool_allowed(Tool)`.
   *
   * @param {string} body
   * @param {Moment} [moment]
   * @returns {Promise<Rows>}
   */
  query(body, moment) {
    return this.#read("/v1/query", { body }, moment);
  }

  /**
   * The proofs of a fact, such as `tool_allowed("shell")`.
   *
   * @param {string} fact
   * @param {Moment & { allInputs?: boolean, most?: number }} [options]
   * @returns {Promise<Proofs>}
   */
  why(fact, { allInputs = false, most = 20, ...moment } = {}) {
    return this.#read("/v1/why", { fact, all_inputs: allInputs, most }, moment);
  }

  /**
   * What is missing for a fact; remedies are looked for during `look` milliseconds.
   *
   * @param {string} fact
   * @param {Moment & { look?: number }} [options]
   * @returns {Promise<WhyNot>}
   */
  whyNot(fact, { look = 200, ...moment } = {}) {
    return this.#read("/v1/why-not", { fact, look }, moment);
  }

  /**
   * Which decisions would be drawn and lapse if these facts stood, those didn't, and parameters were others.
   *
   * @param {Iterable<Fact>} [facts]
   * @param {Moment & { retract?: Iterable<Fact>, params?: Record<string, unknown> }} [options]
   * @returns {Promise<WhatIf>}
   */
  whatIf(facts = [], { retract = [], params = {}, ...moment } = {}) {
    return this.#read("/v1/what-if", { assert: [...facts], retract: [...retract], set: params }, moment);
  }

  /**
   * The decisions in force.
   *
   * @param {string} [relation]
   * @param {Moment & { limit?: number, offset?: number }} [options]
   * @returns {Promise<Decisions>}
   */
  decisions(relation, { limit, offset, ...moment } = {}) {
    return this.ask("GET", "/v1/decisions", { query: { relation, limit, offset, ...of(moment) } });
  }

  /**
   * Why a decision was drawn, by its id.
   *
   * @param {string} decision
   * @param {Moment} [moment]
   * @returns {Promise<Proof>}
   */
  proof(decision, moment) {
    return this.ask("GET", `/v1/decisions/${encodeURIComponent(decision)}/proof`, { query: of(moment) });
  }

  /**
   * The facts of a relation.
   *
   * @param {string} relation
   * @param {Moment & { limit?: number, offset?: number }} [options]
   * @returns {Promise<Facts>}
   */
  facts(relation, { limit, offset, ...moment } = {}) {
    const query = { limit, offset, ...of(moment) };
    return this.ask("GET", `/v1/facts/${encodeURIComponent(relation)}`, { query });
  }

  /**
   * The ledger at a glance.
   *
   * @param {Moment} [moment]
   * @returns {Promise<Record<string, any>>}
   */
  status(moment) {
    return this.ask("GET", "/v1/status", { query: of(moment) });
  }

  /**
   * What waits for a person.
   *
   * @param {Moment} [moment]
   * @returns {Promise<Record<string, any>[]>}
   */
  async reviews(moment) {
    return (await this.ask("GET", "/v1/reviews", { query: of(moment) })).reviews;
  }

  /**
   * Approves what waits, with parts of its content written anew.
   *
   * @param {string} review
   * @param {string} [comment]
   * @param {Record<string, string>} [edits]
   * @returns {Promise<Outcome>}
   */
  approve(review, comment = "", edits = {}) {
    return this.ask("POST", `/v1/reviews/${encodeURIComponent(review)}`, { body: { approved: true, comment, edits } });
  }

  /**
   * Rejects what waits.
   *
   * @param {string} review
   * @param {string} [comment]
   * @returns {Promise<Outcome>}
   */
  reject(review, comment = "") {
    return this.ask("POST", `/v1/reviews/${encodeURIComponent(review)}`, { body: { approved: false, comment } });
  }

  /**
   * Whether a subject may do something (AuthZEN); the name of an action stands for it.
   *
   * @param {Entity} subject
   * @param {Entity | string} action
   * @param {Entity} resource
   * @param {Record<string, unknown>} [context]
   * @returns {Promise<Evaluation>}
   */
  evaluate(subject, action, resource, context) {
    const named = typeof action === "string" ? { name: action } : action;
    return this.ask("POST", "/access/v1/evaluation", { body: { subject, action: named, resource, context } });
  }

  /**
   * Several evaluations at once (AuthZEN); `defaults` are members that those lack.
   *
   * @param {Iterable<Record<string, unknown>>} evaluations
   * @param {Record<string, unknown>} [defaults]
   * @param {"execute_all" | "deny_on_first_deny" | "permit_on_first_permit"} [semantic]
   * @returns {Promise<Evaluation[]>}
   */
  async evaluateAll(evaluations, defaults = {}, semantic = "execute_all") {
    const body = { ...defaults, evaluations: [...evaluations], options: { evaluations_semantic: semantic } };
    return (await this.ask("POST", "/access/v1/evaluations", { body })).evaluations;
  }

  /**
   * Transactions as they come, each once and in order: those after `after`, by default those after the last one of when the
   * iteration begins. A lost connection is made again; a service that is away for more than `patience` milliseconds is
   * `Unreachable`. Leaving the loop or `signal` ends it.
   *
   * @param {{ after?: number, patience?: number, signal?: AbortSignal }} [options]
   * @returns {AsyncGenerator<Transaction, void, undefined>}
   */
  async *changes({ after, patience = 60_000, signal } = {}) {
    const last = after ?? (await this.status()).transactions;
    /** @param {number} from @param {AbortSignal} until */
    const listen = async (from, until) => {
      const headers = { ...this.#headers(), "Last-Event-ID": String(from), Accept: "text/event-stream" };
      const response = await fetch(`${this.#base}/v1/changes`, { headers, signal: until, redirect: "error" });
      if (response.status !== 200) parsed(response.status, await whole(response, this.#longest));
      if (response.body === null) throw new HenceError("`/v1/changes` answered without events");
      return response.body;
    };
    yield* changes(listen, last, { patience, signal, longest: this.#longest });
  }

  /** @param {string} path @param {unknown} body @param {Moment} [moment] */
  #read(path, body, moment) {
    return this.ask("POST", path, { body, again: true, query: of(moment) });
  }

  /** @returns {Record<string, string>} */
  #headers() {
    return this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` };
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body: unknown, query: Record<string, unknown>, key: string | undefined, until: number }} request
   */
  async #once(method, path, { body, query, key, until }) {
    const headers = this.#headers();
    if (key !== undefined) headers["Idempotency-Key"] = key;
    if (body !== undefined) headers["Content-Type"] = typeof body === "string" ? "application/x-ndjson" : "application/json";
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const sent = body === undefined || typeof body === "string" ? body : written(body);
    const signal = AbortSignal.timeout(Math.max(1, until - Date.now()));
    try {
      const response = await fetch(url, { method, headers, body: sent, signal, redirect: "error" });
      return parsed(response.status, await whole(response, this.#longest));
    } catch (error) {
      if (error instanceof HenceError) throw error;
      throw new Unreachable(`${method} ${path} got no answer: ${reason(error)}`, { cause: error });
    }
  }
}

/** @param {Moment} [moment] */
function of({ minTx, asOf } = {}) {
  return { min_tx: minTx, as_of: asOf };
}

/** @param {unknown} error */
function reason(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/**
 * The body of an answer.
 *
 * @param {Response} response
 * @param {number} longest
 */
async function whole(response, longest) {
  const chunks = [];
  let size = 0;
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (response.body ?? []))) {
    size += chunk.length;
    if (size > longest) throw new HenceError(`the answer has more than ${longest} bytes`, { status: response.status });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * An answer; problem details (RFC 9457) are thrown.
 *
 * @param {number} status
 * @param {string} body
 * @returns {Record<string, any>}
 */
function parsed(status, body) {
  let answer;
  try {
    answer = read(body);
  } catch {
    answer = undefined;
  }
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
    // An answer that was cut off is none.
    const Kind = status === 200 || status >= 500 ? Unreachable : HenceError;
    throw new Kind(`expected a JSON object, found status ${status} with another body`, { status });
  }
  if (status < 400) return answer;
  const text = String(answer.detail ?? answer.title ?? `status ${status}`);
  const Kind = [408, 502, 503, 504].includes(status) ? Unreachable : HenceError;
  throw new Kind(text, { status, diagnostics: answer.errors ?? [] });
}
