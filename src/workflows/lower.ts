// Lowers a document in any dialect to the one internal form, with everything around the steps: agents, context, caps,
// workspace. The dialect decides defaults here and nothing later.

import type { AgentDefinition, Caps, Definition, StepDefinition, WorkspacePolicy } from "../domain/definition.ts";
import { type CapName, defaultCaps } from "../domain/definition.ts";
import { agentName } from "../domain/ids.ts";
import { readAntfarmSteps } from "./antfarm/antfarm.ts";
import { refusalOf } from "./antfarm/antfarm-refusals.ts";
import { type AntfarmInput, antfarmJsonSchema, antfarmSchema } from "./antfarm/antfarm-schema.ts";
import { knownKeysOf } from "./check/templates.ts";
import { durationMs } from "./document/duration.ts";
import { foldKeys } from "./document/fold.ts";
import { nearest, type Path } from "./document/problem.ts";
import { note, type Reading, refuse, warn } from "./document/reading.ts";
import { shapeAt } from "./document/shape.ts";
import { validate } from "./document/validate.ts";
import { readEnvironment } from "./format/environment.ts";
import { type CapsInput, type WorkflowInput, workflowJsonSchema, workflowSchema } from "./format/schema.ts";
import { readStep } from "./format/steps.ts";

const defaultPollEveryMs = 300_000;
const ownJson = workflowJsonSchema();
const antfarmJson = antfarmJsonSchema();

/** The definition; null when the file is too wrong to have one. Lowered is not yet checked. */
export function lowerDocument(reading: Reading): Definition | null {
  const { value, twice } = foldKeys(reading.document.value);
  for (const path of twice) {
    refuse(reading, path, {
      message: `\`${path.at(-1)}\` is given twice, in two spellings`,
      expected: "each field once",
      hint: "keep the snake_case one",
    });
  }
  const isOwn = Object.hasOwn(reading.document.value, "pawl");
  if (isOwn || looksOwn(value)) {
    if (!isOwn) {
      refuse(reading, [], {
        message: "`pawl: 1` is missing, and the file is not one of antfarm's, which has a list of `agents`",
        expected: "`pawl: 1` at the top of the file",
        hint: "add the line `pawl: 1`",
      });
    }
    const hintFor = (key: string, path: Path) =>
      (path.at(-3) === "steps" || path.at(-3) === "body" ? stepHints[key] : undefined) ?? foreignHints[key] ?? null;
    const written = isOwn ? value : { pawl: 1, ...Object(value) };
    const file = validate({ schema: workflowSchema, json: ownJson, unknownKeys: "error", hintFor }, written, reading);
    return file && lowerOwn(reading, file);
  }
  const hintFor = (key: string, path: Path) =>
    shapeAt(ownJson, path.slice(0, -1)).keys.includes(key)
      ? "this is Pawl's own spelling: put `pawl: 1` at the top of the file"
      : (antfarmHints[key] ?? null);
  const format = { schema: antfarmSchema, json: antfarmJson, unknownKeys: "warning", hintFor, refusalOf } as const;
  const file = validate(format, value, reading);
  return file && lowerAntfarm(reading, file);
}

const ownStepKeys = [
  "command",
  "gate",
  "stories",
  "integrate",
  "decision",
  "body",
  "decide",
  "on",
  "produces",
  "checks",
];

/** A file without `pawl:` that no reader of antfarm's format would accept, but ours would. */
function looksOwn(value: unknown): boolean {
  const { agents, steps } = Object(value) as { readonly agents?: unknown; readonly steps?: unknown };
  if (Array.isArray(agents)) return false;
  if (typeof agents === "object" && agents !== null) return true;
  return Array.isArray(steps) && steps.some((step) => ownStepKeys.some((key) => Object.hasOwn(Object(step), key)));
}

/** Keys that are common in antfarm files and that nothing there reads. */
const antfarmHints: Readonly<Record<string, string>> = {
  depends_on: "the order of the file is used",
  hooks: "nothing is run at the end; add a step",
  delivery: "messages are not sent to channels",
  acceptance_criteria: "put it into the input of a step",
  required_outputs: "nothing is required; list the keys in output_keys and name them in expects or in a later input",
  pass_outputs: "remove it: what a step prints is in the input of every later one; output_keys limits what is kept",
};

/** Keys of other formats that people bring along, and what is written here instead. */
const foreignHints: Readonly<Record<string, string>> = {
  required_outputs: "name the keys in `produces`, and the text that a good answer contains in `expects`",
  pass_outputs: "remove it: what a step prints is in the input of every later one; `produces` limits what is kept",
  output_keys: "write `produces: [KEYS]`",
  decision_key: "write `decide: KEY`, and the values in `on`",
  on_decision: "write `decide: KEY` and `on: { VALUE: ROUTE }`",
  next_step: "write `go_to: STEP`",
  retry_step: "write `back_to: STEP`, with `at_most: N`",
  max_retries: "write `on: { rejected: { again, at_most: N } }`, and the same in `on_error`",
  on_fail: "write `on: { rejected: ROUTE }` for a no, `on_error: ROUTE` for a crash",
  escalate_to: "write `then: gate` behind `at_most`",
  on_exhausted: "write `then: gate` behind `at_most`",
  if: "let the step before it decide: `decide: KEY`, and `on: { VALUE: { go_to: STEP } }` to jump over this one",
  when: "let the step before it decide: `decide: KEY`, and `on: { VALUE: { go_to: STEP } }` to jump over this one",
  condition: "let the step before it decide: `decide: KEY`, and `on: { VALUE: { go_to: STEP } }` to jump over this one",
  needs: "remove it: steps run in the order of the file",
  depends_on: "remove it: steps run in the order of the file",
  parallel: "only stories run at once: `stories: { concurrency: N, workspace: worktree }`",
  prompt: "write `input:` in the step; what an agent always reads is a role file: `files: { AGENTS.md: PATH }`",
  instructions: "write `input:` in the step; what an agent always reads is a role file: `files: { AGENTS.md: PATH }`",
  role: "write it into a role file: `files: { AGENTS.md: PATH }`",
  tools: "what an agent may do is in the configuration: `executors.NAME`; `access: read` keeps it from writing",
  run: "write `command: SHELL COMMAND`",
  script: "write `command: SHELL COMMAND`",
  uses: "write `agent: NAME` or `command: SHELL COMMAND`",
  outputs: "name the keys in `produces`",
  output: "name the keys in `produces`",
  retries: "write `on: { rejected: { again, at_most: N } }`, and the same in `on_error`",
  retry: "write `on: { rejected: { again, at_most: N } }`, and the same in `on_error`",
  verify: "write a step behind it whose `on: { rejected: { back_to: STEP, at_most: N } }` sends the work back",
  approval: "write a step of its own: `gate: QUESTION`",
  schedule: "Pawl starts no run by itself; let cron or a CI call `pawl run`",
  triggers: "Pawl starts no run by itself; let cron or a CI call `pawl run`",
  jobs: "this is the format of a CI; a workflow has `agents` and `steps`",
};

/** A step has no model of its own. */
const stepHints: Readonly<Record<string, string>> = {
  model: "write it at the agent: `agents: { NAME: { model: … } }`",
  executor: "write it at the agent: `agents: { NAME: { executor: … } }`; a person's work is a `gate`",
};

function lowerOwn(reading: Reading, file: WorkflowInput): Definition {
  const listed = Array.isArray(file.agents);
  const entries = Array.isArray(file.agents)
    ? file.agents.map((agent) => [agent.id, agent] as const)
    : Object.entries(file.agents ?? {});
  const agents = entries.map(([id, agent], index): AgentDefinition => {
    checkFiles(reading, ["agents", listed ? index : id, "files"], agent.files ?? {}, false);
    return {
      name: agentName(id),
      title: agent.name ?? id,
      description: agent.description ?? "",
      ...readPerformers(reading, agent, ["agents", listed ? index : id]),
      ...(agent.access === "read" ? { access: agent.access } : {}),
      model: agent.model ?? null,
      timeoutMs: agent.timeout === undefined ? null : durationMs(agent.timeout),
      files: agent.files ?? {},
    };
  });
  const agentTimeoutMs = new Map(
    agents.flatMap(({ name, timeoutMs }) => (timeoutMs === null ? [] : [[name as string, timeoutMs]])),
  );
  const steps = file.steps.map((step, index) =>
    readStep(reading, step, ["steps", index], { inBody: false, agentTimeoutMs }),
  );
  if (file.caps && file.budget) {
    refuse(reading, ["budget"], {
      message: "`caps` and `budget` are both given",
      expected: "one of the two",
      hint: "keep `caps`",
    });
  }
  return assemble(reading, file, {
    dialect: "pawl",
    agents,
    steps: steps.filter((step) => step !== null),
    caps: readCaps(file.caps ?? file.budget ?? {}),
    workspace: readWorkspace(reading, file.workspace ?? {}),
    protocol: readProtocol(reading, file.protocol ?? null),
  });
}

function readProtocol(reading: Reading, name: string | null): string | null {
  const known = reading.protocols.map((protocol) => protocol.name);
  if (name === null || known.includes(name)) return name;
  const near = nearest(name, known);
  refuse(reading, ["protocol"], {
    message: `there is no protocol \`${name}\``,
    expected: known.length === 0 ? "no `protocol`" : `one of: ${known.join(", ")}`,
    hint: near ? `did you mean ${near}?` : "remove `protocol`, or name one of those",
  });
  return name;
}

function protocolKeys({ protocols }: Reading, name: string | null): readonly string[] {
  return protocols.find((protocol) => protocol.name === name)?.templateKeys ?? [];
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

function readWorkspace(
  reading: Reading,
  { branch, on_failure, uncommitted, by_products, env }: NonNullable<WorkflowInput["workspace"]>,
): WorkspacePolicy {
  return {
    branch: branch ?? "own",
    onFailure: on_failure ?? "keep",
    ...(uncommitted === "keep" ? { uncommitted } : {}),
    ...(by_products ? { byProducts: by_products } : {}),
    ...(env ? { env: readEnvironment(reading, env, ["workspace", "env"]) } : {}),
  };
}

function lowerAntfarm(reading: Reading, file: AntfarmInput): Definition {
  const agents = file.agents.map((agent, index): AgentDefinition => {
    checkFiles(reading, ["agents", index, "workspace", "files"], agent.workspace?.files ?? {}, true);
    if (agent.workspace?.skills) note(reading, "`workspace.skills`: skills are not installed");
    return {
      name: agentName(agent.id),
      title: agent.name ?? agent.id,
      description: agent.description ?? "",
      executor: null,
      model: agent.model === undefined || agent.model === "default" ? null : agent.model,
      timeoutMs: agent.timeout_seconds === undefined ? null : Math.round(agent.timeout_seconds * 1_000),
      files: agent.workspace?.files ?? {},
    };
  });
  if (file.polling)
    note(reading, "`polling`: model and time limit of antfarm's own polls; nothing here polls with a model");
  if (file.agents.some((agent) => agent.role ?? agent.polling_model))
    note(reading, "`role`, `pollingModel`: tool policy and poll model of antfarm; not used");
  if (file.notifications?.url !== undefined) {
    warn(reading, ["notifications", "url"], {
      message: "notifications are not delivered yet",
      expected: "no `notifications`",
      hint: "look at the run with `pawl status`",
    });
  }
  return assemble(reading, file, {
    dialect: "antfarm",
    protocol: "antfarm",
    agents,
    steps: readAntfarmSteps(reading, file),
    caps: defaultCaps,
    // Its agents commit, and some of its steps commit what an earlier one left.
    workspace: { branch: "by_step", onFailure: "keep", uncommitted: "keep" },
  });
}

interface Parts extends Pick<Definition, "dialect" | "caps" | "workspace" | "protocol"> {
  readonly agents: readonly AgentDefinition[];
  readonly steps: readonly StepDefinition[];
}

function assemble(reading: Reading, file: WorkflowInput | AntfarmInput, parts: Parts): Definition {
  const { agents, ...rest } = parts;
  const names = agents.map((agent) => agent.name as string);
  names.forEach((name, index) => {
    if (names.indexOf(name) === index) return;
    refuse(reading, ["agents", index], {
      message: `agent '${name}' is defined twice`,
      expected: "each agent once",
      hint: "rename one of the two",
    });
  });
  const context = Object.fromEntries(
    Object.entries(file.context ?? {}).map(([key, value]) => [key.toLowerCase(), value === null ? "" : String(value)]),
  );
  return {
    id: file.id,
    title: file.name ?? file.id,
    description: file.description?.trim() ?? "",
    agents: Object.fromEntries(agents.map((agent) => [agent.name, agent])),
    context,
    knownKeys: knownKeysOf(parts.steps, context, protocolKeys(reading, parts.protocol)),
    pollEveryMs: file.cron?.interval_ms ?? defaultPollEveryMs,
    ...rest,
  };
}

function readCaps(written: CapsInput): Caps {
  const caps = withDefaults(written);
  const names = { attempts: written.attempts, steps: written.steps, wallMs: written.wall, costUsd: written.usd };
  const set = Object.entries({ ...names, tokens: written.tokens }).filter(([, value]) => value !== undefined);
  const given = set.map(([name]) => name as CapName).filter((name) => caps[name] === defaultCaps[name]);
  return given.length === 0 ? caps : { ...caps, given };
}

function withDefaults(written: CapsInput): Caps {
  return {
    attempts: written.attempts ?? defaultCaps.attempts,
    steps: written.steps ?? defaultCaps.steps,
    wallMs: written.wall === undefined ? defaultCaps.wallMs : durationMs(written.wall),
    costUsd: written.usd ?? defaultCaps.costUsd,
    tokens: written.tokens ?? defaultCaps.tokens,
    then: written.then ?? defaultCaps.then,
    hard: written.hard ?? defaultCaps.hard,
    lostPerStep: written.lost ?? defaultCaps.lostPerStep,
    ...(written.unknown === "stop" ? { unknown: "stop" } : {}),
  };
}

/** antfarm's shared agents lie above the workflow's directory; ours never do. Nothing is written outside an agent's home. */
function checkFiles(reading: Reading, path: Path, files: Readonly<Record<string, string>>, mayClimb: boolean): void {
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
