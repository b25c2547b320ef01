// Integers of JSON that no number of JavaScript holds are bigints, both ways, where the runtime knows the texts of
// numbers (Node from 22 on).

/** @type {{ rawJSON?: (text: string) => unknown, isRawJSON?: unknown }} */
const json = /** @type {any} */ (JSON);

/**
 * The text of a value, on one line.
 *
 * @param {unknown} value
 * @returns {string}
 * @throws {TypeError} What JSON has no form of: `undefined`, a function, a cycle.
 */
export function written(value) {
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? raw(part) : part));
  if (text === undefined) throw new TypeError(`${String(value)} has no form in JSON`);
  return text;
}

/**
 * The value of a text.
 *
 * @param {string} text
 * @returns {any}
 */
export function read(text) {
  // Only such a text may have one, and reading with a function takes several times as long.
  return /\d{16}/.test(text) ? JSON.parse(text, /** @type {any} */ (exact)) : JSON.parse(text);
}

/**
 * @param {string} _
 * @param {unknown} value
 * @param {{ source?: string }} [context]
 */
function exact(_, value, context) {
  const source = typeof value === "number" && !Number.isSafeInteger(value) ? context?.source : undefined;
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** @param {bigint} value */
function raw(value) {
  if (json.rawJSON) return json.rawJSON(String(value));
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is beyond the numbers of this runtime; Node from 22 on sends it`);
  return number;
}
