// The size of a terminal. Owns: how many columns and lines can be used, whatever the terminal reports.

/** A terminal that does not know its size reports 0, or nothing. */
const usual = { columns: 80, rows: 24 };
const largest = 1_000;

type Sized = Partial<Pick<NodeJS.WriteStream, "getWindowSize" | "isTTY">>;

export function columnsOf(stream: Sized): number {
  return sensible(sizeNow(stream)?.[0], usual.columns);
}

export function rowsOf(stream: Sized): number {
  return sensible(sizeNow(stream)?.[1], usual.rows);
}

/** Asked each time: what the stream remembers is old until a signal arrives. */
function sizeNow(stream: Sized): readonly [number, number] | undefined {
  try {
    return stream.isTTY ? stream.getWindowSize?.() : undefined;
  } catch {
    // The terminal is gone.
    return undefined;
  }
}

function sensible(reported: number | undefined, otherwise: number): number {
  return reported === undefined || !Number.isInteger(reported) || reported < 1
    ? otherwise
    : Math.min(reported, largest);
}
