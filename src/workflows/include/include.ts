// Takes the workflows that steps name into the chain: each is found, validated and renamed, and its steps stand where the step stood.

import { type Entry, isGiven } from "../../domain/definition.ts";
import { agentName } from "../../domain/ids.ts";
import type { IncludeBudget, Inclusion } from "../../domain/include.ts";
import { foldValue, type GateOptions, type Route } from "../../domain/route.ts";
import { parseDocument } from "../document/document.ts";
import { foldKeys } from "../document/fold.ts";
import { formatPath, nearest, type Path } from "../document/problem.ts";
import { from, mountAt, type Reading, refuse, startReading } from "../document/reading.ts";
import { readAgents } from "../format/agents.ts";
import { readCaps } from "../format/caps.ts";
import { readIf } from "../format/condition.ts";
import { validateOwn } from "../format/own-file.ts";
import type { WorkflowInput } from "../format/schema.ts";
import type { StepInput } from "../format/step-schema.ts";
import { bindInputs, readInputs } from "./inputs.ts";
import { type Names, renamedAgent, renamedStep } from "./names.ts";

/** A step with the place that it was written at. */
export interface PlacedInput {
  readonly written: StepInput;
  readonly path: Path;
  readonly entries: readonly Entry[];
}

/** A file that includes others twice, which do the same, would grow without measure. */
const mostIncludes = 100;

export interface IncludeContext {
  /** Keys that are the same in every file. */
  readonly shared: readonly string[];
  readonly protocol: string | null;
  /** Gets the time limits of agents that come along. */
  readonly agentTimeoutMs: Map<string, number>;
}

/** The steps of a chain, with those of included workflows in the place of the steps that name them. */
export function expandSteps(
  reading: Reading,
  steps: readonly StepInput[],
  path: Path,
  context: IncludeContext,
): readonly PlacedInput[] {
  return steps.flatMap((written, index): readonly PlacedInput[] => {
    const at = [...path, index];
    if (written.workflow === undefined) return [{ written, path: at, entries: [] }];
    const included = open(reading, written, at, context);
    if (included !== null) return mount(reading, written, at, included, context);
    reading.included.isBroken = true;
    return [];
  });
}

interface OpenedFile {
  readonly file: WorkflowInput;
  readonly document: NonNullable<ReturnType<typeof parseDocument>["document"]>;
  readonly roleFolder: string;
}

/** The file behind `workflow`, with everything that is wrong with it as a file; null: it cannot be included. */
function open(reading: Reading, step: StepInput, path: Path, context: IncludeContext): OpenedFile | null {
  const at = [...path, "workflow"];
  const name = step.workflow ?? "";
  const say = (message: string, expected: string, hint: string) => {
    refuse(reading, at, { message: `Step '${step.id}': ${message}`, expected, hint });
    return null;
  };
  const found = reading.find(name, mountAt(reading, path)?.document.file ?? reading.document.file);
  if ("missing" in found)
    return say(found.missing, "the id of a workflow, or a path that begins with `./` or `../`", found.hint);
  const above = [reading.document.file, ...mountsAbove(reading, path)];
  if (above.includes(found.file)) {
    const way = [...above.slice(above.indexOf(found.file)), found.file].map(shortName).join(" → ");
    return say(
      `'${name}' would include itself: ${way}`,
      "a workflow that does not lead back here",
      "remove one of the steps with `workflow`",
    );
  }
  if (reading.included.mounts.length >= mostIncludes)
    return say(
      `more than ${mostIncludes} workflows are included`,
      `at most ${mostIncludes}`,
      "put several steps into one file",
    );
  const { document, problems } = parseDocument(found.text, found.file);
  const place = formatPath(at);
  const bring = (each: readonly (typeof problems)[number][]) =>
    reading.problems.push(
      ...each.map((problem) => ({ ...problem, file: found.file, path: `${place}.${problem.path}` })),
    );
  if (!document) {
    bring(problems);
    return null;
  }
  if (!Object.hasOwn(document.value, "pawl"))
    return say(
      `'${name}' is not a workflow of Pawl's own format`,
      "a file with `pawl: 1`",
      "write its steps as `pawl: 1`",
    );
  const own = startReading(document, reading.protocols);
  const { value, twice } = foldKeys(document.value);
  for (const each of twice)
    refuse(own, each, {
      message: `\`${each.at(-1)}\` is given twice`,
      expected: "each field once",
      hint: "keep the snake_case one",
    });
  const file = validateOwn(own, value);
  bring(own.problems);
  if (file === null) return null;
  refuseForeign(reading, { step, path: at, file, context });
  return { file, document, roleFolder: found.roleFolder };
}

function mountsAbove(reading: Reading, path: Path): readonly string[] {
  return reading.included.mounts
    .filter((mount) => mount.path.every((part, index) => part === path[index]))
    .map(({ document }) => document.file);
}

function shortName(file: string): string {
  return file.split(/[\\/]/).slice(-2).join("/");
}

/** What belongs to a whole run, and would have no effect in a part of one. */
function refuseForeign(
  reading: Reading,
  { step, path, file, context }: { step: StepInput; path: Path; file: WorkflowInput; context: IncludeContext },
): void {
  const say = (what: string, hint: string) =>
    refuse(reading, path, {
      message: `Step '${step.id}': '${file.id}' sets \`${what}\`, which is for a whole run`,
      expected: `a workflow without \`${what}\``,
      hint,
    });
  if (file.protocol !== undefined && file.protocol !== context.protocol)
    say("protocol", `write \`protocol: ${file.protocol}\` in this file, or include another workflow`);
  if (file.workspace !== undefined) say("workspace", "set it in this file");
  if (file.cron !== undefined) say("cron", "set it in this file");
  const { steps, lost, unknown } = file.caps ?? file.budget ?? {};
  const caps = Object.entries({ steps, lost, unknown });
  for (const [name, value] of caps)
    if (value !== undefined)
      say(`caps.${name}`, "attempts, usd, tokens and wall hold for the steps of an included workflow");
  if (hasCaps(file) && file.steps.some(({ stories }) => stories !== undefined))
    say("caps", "its stories are worked on apart from each other; give its `stories` step a `story_budget`");
}

function hasCaps({ caps, budget }: WorkflowInput): boolean {
  return Object.keys(caps ?? budget ?? {}).length > 0;
}

/** Puts the file below the step: its agents, texts, outputs and steps, under the id of the step. */
function mount(
  reading: Reading,
  step: StepInput,
  path: Path,
  { file, document, roleFolder }: OpenedFile,
  context: IncludeContext,
): readonly PlacedInput[] {
  const { included } = reading;
  const { id } = step;
  const below = [...path, "workflow"];
  const declared = (file.outputs ?? []).map(foldValue);
  const inclusion: Inclusion = { id, outputs: readOutputs(reading, step, path, file.id, declared) };
  const constants: Record<string, string> = {};
  for (const [key, value] of Object.entries(file.context ?? {}))
    constants[`${id}.${foldValue(key)}`] = String(value ?? "");
  const place = { step, path, workflow: file.id };
  const entry = readEntry(reading, step, path);
  const title = step.title ?? file.name ?? file.id;
  const budget = budgetOf(id, file);
  included.includes[id] = { workflow: file.id, title, ...(budget === null ? {} : { budget }) };
  const keyOf = (key: string) => inclusion.outputs[key] ?? `${id}.${key}`;
  included.mounts.push({ path: below, document, inclusion, declared: declared.map((key) => [key, keyOf(key)]) });
  const bindings = bindInputs(reading, place, readInputs(reading, file, below), constants);
  Object.assign(included.context, constants);
  const names: Names = {
    inclusion,
    steps: idsOf(file.steps),
    bindings,
    agents: readStandIns(reading, step, path, file),
    shared: context.shared,
    refuseText: (at, key) =>
      refuse(reading, at, {
        message: `Step '${id}': the input \`${key}\` is a text with keys in it, and a condition compares one key`,
        expected: `\`inputs: { ${key}: "{{KEY}}" }\`, or a text without keys`,
        hint: "let a step before it print the value, and give that key",
      }),
  };
  bringAgents(reading, file, names, roleFolder, context);
  const steps = file.steps.map((each, index) => renamedStep(each, names, [...below, "steps", index]));
  const expanded = expandSteps(reading, steps, [...below, "steps"], context);
  const first = expanded.find(({ written }) => !written.spare);
  if (first) included.firsts.set(id, first.written.id);
  return expanded.map((each) => (each === first ? { ...each, entries: [...entry, ...each.entries] } : each));
}

/** Its condition and its list; empty where it has neither. */
function readEntry(reading: Reading, step: StepInput, path: Path): readonly Entry[] {
  const { if: condition } = readIf(reading, step, path);
  const { id, repeat_for: key } = step;
  if (condition === undefined && key === undefined) return [];
  const repeated = key === undefined ? {} : { repeatFor: foldValue(key) };
  return [
    from(reading, [...path, "repeat_for"], { include: id, ...(condition ? { if: condition } : {}), ...repeated }),
  ];
}

function idsOf(steps: readonly StepInput[]): readonly string[] {
  return steps.flatMap(({ id, body = [] }) => [id, ...idsOf(body)]);
}

/** Which outputs the including file gets, with its keys for them. */
function readOutputs(
  reading: Reading,
  step: StepInput,
  path: Path,
  workflow: string,
  declared: readonly string[],
): Readonly<Record<string, string>> {
  const { outputs = {} } = step;
  const wanted = Array.isArray(outputs)
    ? outputs.map((key, index) => [key, key, index] as const)
    : Object.entries(outputs).map(([theirs, own]) => [theirs, own, theirs] as const);
  for (const [theirs, , place] of wanted) {
    if (declared.includes(foldValue(theirs))) continue;
    const meant = nearest(theirs, declared);
    refuse(reading, [...path, "outputs", place], {
      message: `Step '${step.id}': '${workflow}' has no output \`${theirs}\``,
      expected: declared.length === 0 ? "no `outputs`" : `one of: ${declared.join(", ")}`,
      hint: meant ? `did you mean \`${meant}\`?` : `declare it in that file: \`outputs: [${theirs}]\``,
    });
  }
  return Object.fromEntries(wanted.map(([theirs, own]) => [foldValue(theirs), foldValue(own)]));
}

function readStandIns(
  reading: Reading,
  step: StepInput,
  path: Path,
  file: WorkflowInput,
): Readonly<Record<string, string>> {
  const known = Array.isArray(file.agents) ? file.agents.map(({ id }) => id) : Object.keys(file.agents ?? {});
  for (const name of Object.keys(step.agents ?? {})) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    refuse(reading, [...path, "agents", name], {
      message: `Step '${step.id}': '${file.id}' has no agent \`${name}\``,
      expected: `one of: ${known.join(", ")}`,
      hint: meant ? `did you mean \`${meant}\`?` : "remove it",
    });
  }
  return step.agents ?? {};
}

/** Its agents, under the id of the include, unless one of the including file stands in. */
function bringAgents(
  reading: Reading,
  file: WorkflowInput,
  names: Names,
  roleFolder: string,
  context: IncludeContext,
): void {
  const below = reading.included.mounts.at(-1)?.path ?? [];
  for (const agent of readAgents(reading, file, below)) {
    const name = renamedAgent(names, agent.name);
    if (Object.hasOwn(names.agents, agent.name)) continue;
    const files = Object.fromEntries(
      Object.entries(agent.files).map(([own, source]) => [own, roleFolder === "" ? source : `${roleFolder}/${source}`]),
    );
    reading.included.agents.push({ ...agent, name: agentName(name), files });
    if (agent.timeoutMs !== null) context.agentTimeoutMs.set(name, agent.timeoutMs);
  }
}

/** Its caps, as a budget over the attempts of its steps. */
function budgetOf(id: string, file: WorkflowInput): IncludeBudget | null {
  if (!hasCaps(file)) return null;
  const caps = readCaps(file.caps ?? file.budget ?? {});
  const given = (name: Parameters<typeof isGiven>[1]) => (isGiven(caps, name) ? caps[name] : null);
  // The run says which of them was reached.
  const stop: Route = { to: "fail", reason: "" };
  const options: GateOptions = { continue: { to: "again" }, stop: { ...stop, reason: `${id}: stopped by a person` } };
  return {
    attempts: given("attempts"),
    spend: { costUsd: given("costUsd"), tokens: given("tokens"), wallMs: given("wallMs"), hard: caps.hard },
    then: caps.then === "fail" ? stop : { to: "gate", question: `${id} has used up its caps. Continue?`, options },
  };
}
