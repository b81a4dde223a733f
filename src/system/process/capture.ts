// Captured text. Owns: keeping the beginning and the end of what a program printed, in a fixed amount of memory. Does not own: the
// whole output, which goes to the sink.

const largestCaptureBytes = 256 * 1024 * 1024; // a string cannot hold much more

export interface Capture {
  write(chunk: Uint8Array): void;
  /** All bytes that were written, kept or not. */
  bytes(): number;
  /** Valid text: invalid UTF-8 is replaced, and NUL bytes are removed because databases and terminals fail on them. */
  text(): string;
}

/**
 * One buffer: its first half keeps the head; its second half is a ring that keeps the tail. As long as everything
 * fits, both together are simply the output, and the buffer is only as large as the output needs.
 */
export function createCapture(limitBytes: number): Capture {
  const limit = Math.max(0, Math.min(Math.floor(limitBytes) || 0, largestCaptureBytes));
  const headLimit = Math.ceil(limit / 2);
  const ringLimit = limit - headLimit;
  let buffer = Buffer.alloc(0);
  let written = 0;

  const placeOf = (index: number) => (index < limit ? index : headLimit + ((index - headLimit) % ringLimit));

  function write(chunk: Uint8Array): void {
    grow(Math.min(limit, written + chunk.length));
    const intoHead = Math.max(0, Math.min(chunk.length, headLimit - written));
    buffer.set(chunk.subarray(0, intoHead), written < headLimit ? written : 0);
    // Only the last part of a chunk that is larger than the ring would stay.
    const from = Math.max(intoHead, chunk.length - ringLimit);
    const tail = chunk.subarray(from);
    if (ringLimit > 0 && tail.length > 0) {
      const place = placeOf(written + from);
      const beforeWrap = Math.min(tail.length, limit - place);
      buffer.set(tail.subarray(0, beforeWrap), place);
      buffer.set(tail.subarray(beforeWrap), headLimit);
    }
    written += chunk.length;
  }

  function grow(size: number): void {
    if (size <= buffer.length) return;
    // Grows in few large steps: the garbage of many small ones would be as large as what is kept.
    const larger = Buffer.alloc(Math.min(limit, Math.max(size, buffer.length * 8, 1024)));
    buffer.copy(larger);
    buffer = larger;
  }

  function text(): string {
    if (written <= limit) return readable(buffer.subarray(0, written));
    const oldest = ringLimit === 0 ? limit : placeOf(written - ringLimit);
    const ring = Buffer.concat([buffer.subarray(oldest, limit), buffer.subarray(headLimit, oldest)]);
    const head = withoutCutEnd(buffer.subarray(0, headLimit));
    const tail = withoutCutStart(ring);
    const leftOut = written - head.length - tail.length;
    return `${readable(head)}\n[… ${leftOut} bytes left out …]\n${readable(tail)}`;
  }

  return { write, bytes: () => written, text };
}

function readable(bytes: Buffer): string {
  return bytes.toString("utf8").replaceAll("\0", "");
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Leaves out a character that the capture cut in two, so that the cut does not look like a fault in the output. */
function withoutCutEnd(bytes: Buffer): Buffer {
  let first = bytes.length - 1;
  while (first > bytes.length - 4 && isContinuation(bytes[first])) first -= 1;
  const lead = bytes[first] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return first + needed > bytes.length ? bytes.subarray(0, first) : bytes;
}

function withoutCutStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}
