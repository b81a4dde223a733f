// What an agent that was cut off had used, from the file with what it had printed until then.

import { lstatSync } from "node:fs";
import type { Usage } from "../domain/attempt.ts";
import type { AgentRegistry } from "./agent/registry.ts";
import { withoutSpent } from "./agent/warm-session.ts";
import type { Resumed } from "./executor.ts";
import { readerFor } from "./recorded-formats.ts";
import { readRecording } from "./stream/recording.ts";

export interface RecordedUsage {
  readonly usage: Usage;
  readonly model: string | null;
}

/** Null: the file does not say it. */
export async function usageInRecording(
  file: string,
  kind: string,
  agents: AgentRegistry,
  resumed: Resumed | null,
): Promise<RecordedUsage | null> {
  const newReader = await readerFor(kind, agents);
  // An agent may have put a link in its place.
  if (newReader === null || lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const sessions = (await agents.find(kind)?.profile())?.sessions ?? null;
  try {
    const whole = await readRecording(file, newReader, { signal: "SIGKILL" });
    const { usage, model } = resumed === null || sessions === null ? whole : withoutSpent(whole, sessions, resumed);
    return { usage: { ...usage, costUsd: usage.costUsd ?? 0 }, model };
  } catch {
    return null;
  }
}
