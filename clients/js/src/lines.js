// Lines of bytes that come in pieces, none longer than a limit.

/**
 * Calls `take` with each line of a readable stream.
 *
 * @param {import("node:stream").Readable} stream
 * @param {number} longest
 * @param {(line: string) => void} take
 */
export function eachLine(stream, longest, take) {
  /** @type {Buffer[]} */
  let pieces = [];
  let size = 0;
  stream.on("data", (/** @type {Buffer} */ chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10, from); end !== -1; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...pieces, chunk.subarray(from, end)]).toString("utf8");
      pieces = [];
      size = 0;
      from = end + 1;
      take(line);
    }
    size += chunk.length - from;
    if (size > longest) stream.destroy(new Error(`a line has more than ${longest} bytes`));
    else pieces.push(chunk.subarray(from));
  });
}
