// Lowers the agents of a file: who performs them, and their role files.

import type { AgentDefinition } from "../../domain/definition.ts";
import { agentName } from "../../domain/ids.ts";
import { durationMs } from "../document/duration.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import type { WorkflowInput } from "./schema.ts";

/** `path`: where the file stands that has them. */
export function readAgents(
  reading: Reading,
  { agents: written = {} }: Pick<WorkflowInput, "agents">,
  path: Path = [],
): readonly AgentDefinition[] {
  const entries = Array.isArray(written)
    ? written.map((agent, index) => [agent.id, agent, index] as const)
    : Object.entries(written).map(([id, agent]) => [id, agent, id] as const);
  return entries.map(([id, agent, key]): AgentDefinition => {
    const at = [...path, "agents", key];
    checkFiles(reading, [...at, "files"], agent.files ?? {}, false);
    return {
      name: agentName(id),
      title: agent.name ?? id,
      description: agent.description ?? "",
      ...readPerformers(reading, agent, at),
      ...(agent.access === "read" ? { access: agent.access } : {}),
      model: agent.model ?? null,
      timeoutMs: agent.timeout === undefined ? null : durationMs(agent.timeout),
      ...(agent.concurrency === undefined ? {} : { concurrency: agent.concurrency }),
      files: agent.files ?? {},
    };
  });
}

function readPerformers(
  reading: Reading,
  {
    executor,
    executors,
  }: { readonly executor?: string | undefined; readonly executors?: readonly string[] | undefined },
  path: Path,
): Pick<AgentDefinition, "executor" | "fallbacks"> {
  if (executor !== undefined && executors !== undefined) {
    refuse(reading, [...path, "executors"], {
      message: "`executor` and `executors` are both given",
      expected: "one of the two",
      hint: `write \`executors: [${[executor, ...executors].join(", ")}]\``,
    });
  }
  const [first, ...fallbacks] = executors ?? (executor === undefined ? [] : [executor]);
  return { executor: first ?? null, ...(fallbacks.length === 0 ? {} : { fallbacks }) };
}

/** antfarm's shared agents lie above the workflow's directory; ours never do. Nothing is written outside an agent's home. */
export function checkFiles(
  reading: Reading,
  path: Path,
  files: Readonly<Record<string, string>>,
  mayClimb: boolean,
): void {
  const climbs = (text: string) => text.split(/[\\/]/).includes("..");
  const isAbsolute = (text: string) => /^([\\/]|[A-Za-z]:)/.test(text);
  for (const [name, source] of Object.entries(files)) {
    if (climbs(name) || isAbsolute(name) || name === "") {
      refuse(reading, [...path, name], {
        message: `"${name}" is not a file name in the agent's directory`,
        expected: "a name such as AGENTS.md",
        hint: "remove the directories above it",
      });
    }
    if (isAbsolute(source) || (climbs(source) && !mayClimb)) {
      refuse(reading, [...path, name], {
        message: `"${source}" is outside the workflow's directory`,
        expected: "a path below the workflow file",
        hint: `for example agents/NAME/${name}`,
      });
    }
  }
}
