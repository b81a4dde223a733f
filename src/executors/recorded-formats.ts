// Formats of recorded output: every agent of the registry prints one, and ACP is one for all its agents.

import type { AgentRegistry } from "./agent/registry.ts";
import type { NewReader } from "./stream/reader.ts";

export function recordedFormats({ kinds }: AgentRegistry): readonly string[] {
  return [...kinds, "acp"];
}

/** Null: Pawl has no reader for it. */
export async function readerFor(format: string, agents: AgentRegistry): Promise<NewReader | null> {
  if (format === "acp") return (await import("./acp/reader.ts")).acpReader;
  const profile = await agents.find(format)?.profile();
  return profile?.newReader ?? null;
}
