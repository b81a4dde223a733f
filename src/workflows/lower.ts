// Lowers a document in any dialect to the one internal form, with everything around the steps: agents, context, caps,
// workspace. The dialect decides defaults here and nothing later.

import { generalKeys } from "../domain/context.ts";
import {
  type AgentDefinition,
  type Definition,
  defaultCaps,
  type StepDefinition,
  type WorkspacePolicy,
} from "../domain/definition.ts";
import { agentName } from "../domain/ids.ts";
import type { ProtocolFacts } from "../domain/protocol.ts";
import { readAntfarmSteps } from "./antfarm/antfarm.ts";
import { refusalOf } from "./antfarm/antfarm-refusals.ts";
import { type AntfarmInput, antfarmJsonSchema, antfarmSchema } from "./antfarm/antfarm-schema.ts";
import { collectedBy } from "./check/check-said.ts";
import { knownKeysOf } from "./check/templates.ts";
import { foldKeys } from "./document/fold.ts";
import { once } from "./document/once.ts";
import { nearest, type Path } from "./document/problem.ts";
import { note, type Reading, refuse, warn } from "./document/reading.ts";
import { shapeAt } from "./document/shape.ts";
import { validate } from "./document/validate.ts";
import { checkFiles, readAgents } from "./format/agents.ts";
import { readCaps } from "./format/caps.ts";
import { readEnvironment } from "./format/environment.ts";
import { ownJson, validateOwn } from "./format/own-file.ts";
import { readSchedule } from "./format/schedule.ts";
import type { WorkflowInput } from "./format/schema.ts";
import { readChain } from "./format/steps.ts";
import { type DeclaredInput, readInputs } from "./include/inputs.ts";
import { groupWaves } from "./waves/waves.ts";

const defaultPollEveryMs = 300_000;
const antfarmJson = once(antfarmJsonSchema);

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
    const file = validateOwn(reading, isOwn ? value : { pawl: 1, ...Object(value) });
    const definition = file && lowerOwn(reading, file);
    return reading.included.isBroken ? null : definition;
  }
  const hintFor = (key: string, path: Path) =>
    shapeAt(ownJson(), path.slice(0, -1)).keys.includes(key)
      ? "this is Pawl's own spelling: put `pawl: 1` at the top of the file"
      : (antfarmHints[key] ?? null);
  const format = { schema: antfarmSchema, json: antfarmJson, unknownKeys: "warning", hintFor, refusalOf } as const;
  const file = validate(format, value, reading);
  return file && lowerAntfarm(reading, file);
}

const ownStepKeys = [
  "command",
  "gate",
  "signal",
  "stories",
  "integrate",
  "decision",
  "if",
  "body",
  "decide",
  "on",
  "produces",
  "checks",
  "workflow",
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

function lowerOwn(reading: Reading, file: WorkflowInput): Definition {
  const own = readAgents(reading, file);
  const protocol = readProtocol(reading, file.protocol ?? null);
  const agentTimeoutMs = new Map(
    own.flatMap(({ name, timeoutMs }) => (timeoutMs === null ? [] : [[name as string, timeoutMs]])),
  );
  const shared = [...generalKeys, ...protocolKeys(reading, protocol)];
  const inputs = readInputs(reading, file);
  const read = readChain(reading, file.steps, ["steps"], { inBody: false, agentTimeoutMs, shared, protocol });
  const steps = factsOf(reading, protocol)?.formsWaves === true ? groupWaves(reading, read) : read;
  if (file.caps && file.budget) {
    refuse(reading, ["budget"], {
      message: "`caps` and `budget` are both given",
      expected: "one of the two",
      hint: "keep `caps`",
    });
  }
  if (file.schedule) {
    const required = inputs.flatMap(({ name, fallback }) => (fallback === null ? [name] : []));
    reading.schedule = readSchedule(reading, file.schedule, required);
  }
  return assemble(reading, file, {
    dialect: "pawl",
    agents: [...own, ...reading.included.agents],
    steps,
    inputs,
    caps: readCaps(file.caps ?? file.budget ?? {}),
    workspace: readWorkspace(reading, file.workspace ?? {}),
    protocol,
    ...(file.templates === undefined ? {} : { templates: file.templates }),
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

function protocolKeys(reading: Reading, name: string | null): readonly string[] {
  return factsOf(reading, name)?.templateKeys ?? [];
}

function factsOf({ protocols }: Reading, name: string | null): ProtocolFacts | undefined {
  return protocols.find((protocol) => protocol.name === name);
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
    inputs: [],
    caps: defaultCaps,
    // Its agents commit, and some of its steps commit what an earlier one left.
    workspace: { branch: "by_step", onFailure: "keep", uncommitted: "keep" },
  });
}

interface Parts extends Pick<Definition, "dialect" | "caps" | "workspace" | "protocol" | "templates"> {
  readonly agents: readonly AgentDefinition[];
  readonly steps: readonly StepDefinition[];
  readonly inputs: readonly DeclaredInput[];
}

function assemble(reading: Reading, file: WorkflowInput | AntfarmInput, parts: Parts): Definition {
  const { agents, inputs, ...rest } = parts;
  const names = agents.map((agent) => agent.name as string);
  names.forEach((name, index) => {
    if (names.indexOf(name) === index) return;
    refuse(reading, ["agents", index], {
      message: `agent '${name}' is defined twice`,
      expected: "each agent once",
      hint: "rename one of the two",
    });
  });
  const own = Object.entries(file.context ?? {}).map(
    ([key, value]) => [key.toLowerCase(), String(value ?? "")] as const,
  );
  const fallbacks = inputs.flatMap(({ name, fallback }) => (fallback === null ? [] : [[name, fallback] as const]));
  const context = { ...Object.fromEntries([...own, ...fallbacks]), ...reading.included.context };
  const required = inputs.flatMap(({ name, fallback }) => (fallback === null ? [name] : []));
  const { includes } = reading.included;
  const isOwn = parts.dialect === "pawl";
  const { collects, names: said }: ReturnType<typeof collectedBy> = isOwn
    ? collectedBy(parts.steps, reading)
    : { names: [] };
  const known = [...protocolKeys(reading, parts.protocol), ...said, ...required];
  return {
    id: file.id,
    title: file.name ?? file.id,
    description: file.description?.trim() ?? "",
    agents: Object.fromEntries(agents.map((agent) => [agent.name, agent])),
    context,
    ...(collects === undefined ? {} : { collects }),
    ...(required.length === 0 ? {} : { inputs: required }),
    ...(Object.keys(includes).length === 0 ? {} : { includes }),
    knownKeys: knownKeysOf(parts.steps, context, known),
    pollEveryMs: file.cron?.interval_ms ?? defaultPollEveryMs,
    ...rest,
  };
}
