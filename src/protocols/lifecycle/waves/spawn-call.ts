// The call of a spawner for a wave, in the seed's words: `spawn_agents_on_csv`. A program that performs waves gets it as JSON.

import type { AttemptFacts } from "../../protocol.ts";
import { messagesIn } from "../locale/locale.ts";
import { resultSchema } from "./wave-csv.ts";

const defaultSeconds = 3_600;

export interface SpawnCall {
  readonly csv_path: string;
  readonly id_column: "id";
  readonly instruction: string;
  readonly max_workers: number;
  readonly max_runtime_seconds: number;
  readonly output_csv_path: string;
  readonly output_schema: typeof resultSchema;
}

/** `files`: of a wave, or of one row of it; `rows`: how many rows they have, which are performed at once. */
export function spawnCall(
  { run, definition }: Pick<AttemptFacts, "run" | "definition">,
  files: { readonly wave: string; readonly results: string },
  rows: number,
): SpawnCall {
  const { wallMs } = definition;
  return {
    csv_path: files.wave,
    id_column: "id",
    instruction: messagesIn(run.header.context["locale"]).instruction,
    max_workers: rows,
    max_runtime_seconds: wallMs === null ? defaultSeconds : Math.ceil(wallMs / 1_000),
    output_csv_path: files.results,
    output_schema: resultSchema,
  };
}
