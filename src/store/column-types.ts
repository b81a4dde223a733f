// Column types. Owns: what differs between dialects, named once.

import type { ColumnDataType, sql } from "kysely";

export interface ColumnTypes {
  readonly integer: ColumnDataType;
  readonly real: ColumnDataType;
  /** Text that is compared byte by byte, whatever the database's language. */
  readonly id: ColumnDataType | ReturnType<typeof sql>;
  /** A primary key that the database itself counts up. It never gives a number twice, not even one whose row is gone. */
  readonly serial: ReturnType<typeof sql>;
}
