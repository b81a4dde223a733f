// The column types that differ between dialects.

import type { ColumnDataType, sql } from "kysely";

export interface ColumnTypes {
  readonly integer: ColumnDataType;
  readonly real: ColumnDataType;
  /** Text that is compared byte by byte, whatever the locale of the database. */
  readonly id: ColumnDataType | ReturnType<typeof sql>;
  /** A primary key that the database counts up. It never reuses a number, not even that of a deleted row. */
  readonly serial: ReturnType<typeof sql>;
}
