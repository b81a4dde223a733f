// The size of a terminal. Owns: how many columns and lines can be used, whatever the terminal reports.

/** A terminal that does not know its size reports 0, or nothing. */
const usual = { columns: 80, rows: 24 };
const largest = 1_000;

export function columnsOf(stream: Pick<NodeJS.WriteStream, "columns">): number {
  return sensible(stream.columns, usual.columns);
}

export function rowsOf(stream: Pick<NodeJS.WriteStream, "rows">): number {
  return sensible(stream.rows, usual.rows);
}

function sensible(reported: number | undefined, otherwise: number): number {
  return reported === undefined || !Number.isInteger(reported) || reported < 1
    ? otherwise
    : Math.min(reported, largest);
}
