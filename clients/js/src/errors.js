// What goes wrong: hence refuses, or gives no answer in time.

/**
 * A fault, with its code, its place, its notes and its help.
 * @typedef {{ code?: string, message?: string, help?: string[], [name: string]: unknown }} Diagnostic
 */

/** hence refused. `status` is that of HTTP, where it came over HTTP. */
export class HenceError extends Error {
  /**
   * @param {string} text
   * @param {{ status?: number, diagnostics?: Diagnostic[], cause?: unknown }} [more]
   */
  constructor(text, { status, diagnostics = [], cause } = {}) {
    const { code, help = [] } = diagnostics[0] ?? {};
    super((code ? `${code}: ` : "") + [text, ...help].join("; "), { cause });
    this.name = new.target.name;
    this.text = text;
    this.status = status;
    /** Every fault. */
    this.diagnostics = diagnostics;
    /** The code of the first fault, such as `E613`; `hence explain` tells about it. */
    this.code = code;
    /** The ways out of the first fault. */
    this.help = help;
  }
}

/** No answer came in time. Nothing is decided; a write may have been recorded, unless it had a key and is repeated. */
export class Unreachable extends HenceError {}
