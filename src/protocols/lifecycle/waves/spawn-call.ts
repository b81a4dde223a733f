// The call of a spawner for a wave, in the seed's words: `spawn_agents_on_csv`. A program that performs waves gets it as JSON.

import type { AttemptFacts } from "../../protocol.ts";
import { messagesIn } from "../locale/locale.ts";
import type { SessionFolder } from "../session/session-folder.ts";
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

export function spawnCall({ run, definition }: AttemptFacts, folder: SessionFolder, wave: number): SpawnCall {
  const { wallMs } = definition;
  return {
    csv_path: folder.wave(wave),
    id_column: "id",
    instruction: messagesIn(run.header.context["locale"]).instruction,
    // A wave has one row.
    max_workers: 1,
    max_runtime_seconds: wallMs === null ? defaultSeconds : Math.ceil(wallMs / 1_000),
    output_csv_path: folder.results(wave),
    output_schema: resultSchema,
  };
}
