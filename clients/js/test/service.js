// A service of hence on a temporary folder, and a folder under the gate's rules.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";

import { Gate, Hence, Owner } from "../src/index.js";

/** @import { TestContext } from "node:test" */
/** @import { ChildProcess } from "node:child_process" */

export const HENCE = process.env.HENCE ?? "hence";

/**
 * A copy of a folder of `clients/fixture`, which is gone after the test.
 *
 * @param {TestContext} test
 * @param {string} name
 */
export function folder(test, name) {
  const found = mkdtempSync(join(tmpdir(), "hence-js-"));
  cpSync(fileURLToPath(new URL(`../../fixture/${name}`, import.meta.url)), found, { recursive: true });
  test.after(() => rmSync(found, { recursive: true, force: true, maxRetries: 3 }));
  return found;
}

/** A `hence serve` that can be killed and started again at the same address. */
export class Service {
  /** @param {string} folder @param {number} port */
  constructor(folder, port) {
    this.folder = folder;
    this.port = port;
    this.base = `http://127.0.0.1:${port}`;
    /** @type {Record<string, string>} */
    this.tokens = {};
    /** @type {ChildProcess | undefined} */
    this.process = undefined;
  }

  /** @param {TestContext} test @param {string} [name] */
  static async begin(test, name = "service") {
    const service = new Service(folder(test, name), await freePort());
    test.after(() => service.kill());
    await service.start();
    for (const who of ["pep", "ada"]) {
      const words = ["token", "create", "--as", who, "--scope", "decide,read,write"];
      service.tokens[who] = execFileSync(HENCE, words, { cwd: service.folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    }
    return service;
  }

  async start() {
    const log = openSync(join(this.folder, "log"), "a");
    this.process = spawn(HENCE, ["serve", "--http", `127.0.0.1:${this.port}`], { cwd: this.folder, stdio: ["ignore", log, log] });
    const until = Date.now() + 20_000;
    for (;;) {
      try {
        await new Hence(this.base).ask("GET", "/readyz", { again: false });
        return;
      } catch {
        if (Date.now() > until) throw new Error(readFileSync(join(this.folder, "log"), "utf8"));
        await sleep(50);
      }
    }
  }

  async kill() {
    const running = this.process;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((resolve) => running.on("exit", resolve));
    running.kill("SIGKILL");
    await gone;
  }

  /** @param {string} [name] @param {object} [options] */
  client(name = "pep", options = {}) {
    return new Hence(this.base, { token: this.tokens[name], ...options });
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/**
 * A folder under the gate's rules, and its gate; whoever owns its ledger is ended.
 *
 * @param {TestContext} test
 */
export function gated(test) {
  const here = folder(test, "gate");
  const store = join(here, ".hence");
  test.after(async () => {
    const owner = await new Owner(store).status().catch(() => undefined);
    if (owner !== undefined) process.kill(owner.process);
  });
  return { here, store, marker: join(here, "marker"), gate: new Gate({ store, program: HENCE, cwd: here, timeout: 10_000 }) };
}

/**
 * Has the session `s1` read a file with secrets.
 *
 * @param {Gate} gate
 * @param {string} here
 */
export async function secretIsKnown(gate, here) {
  await gate.judge({ tool: "read_file", arguments: { path: join(here, ".env") }, session: "s1", call: "call-0" });
}
