// A definition: a workflow in its one internal form, whatever dialect its file used. A run freezes its own copy.

import type { Check } from "./check.ts";
import type { Condition } from "./condition.ts";
import type { AgentName, StepName } from "./ids.ts";
import type { Include, Inclusion } from "./include.ts";
import type { PartDefinition, PartsDefinition } from "./part.ts";
import type { ErrorOutcome, GateDeadline, GateOptions, Limit, RouteRule, VerdictKey } from "./route.ts";
import type { SignalWait } from "./signal.ts";
import type { Vote } from "./vote.ts";

export interface Definition {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The dialect of the file. It decides defaults at the edges (branches, unknown keys), never a code path in the engine. */
  readonly dialect: string;
  readonly agents: Readonly<Record<AgentName, AgentDefinition>>;
  readonly steps: readonly StepDefinition[];
  /** Keys that the file itself puts into the context. */
  readonly context: Readonly<Record<string, string>>;
  /** For each `stories` step the keys that other steps read by story (`STEP.STORY.KEY`); absent: none. */
  readonly collects?: Readonly<Record<StepName, readonly string[]>>;
  /** Keys that a caller must give a value; absent: none. */
  readonly inputs?: readonly string[];
  /** The workflows that stand in it as steps, by the id of the step; absent: none. */
  readonly includes?: Readonly<Record<string, Include>>;
  /** Keys that are empty rather than missing until a step sets them. */
  readonly knownKeys: readonly string[];
  /** `strict`: no attempt starts whose prompt or variables name a key without a value; absent: such a key is shown as missing. */
  readonly templates?: "strict";
  readonly caps: Caps;
  readonly workspace: WorkspacePolicy;
  /** The protocol whose files are read and written beside the store; null: there is none. */
  readonly protocol: string | null;
  /** How often an agent that pulls should look for work. */
  readonly pollEveryMs: number;
}

export interface AgentDefinition {
  readonly name: AgentName;
  readonly title: string;
  readonly description: string;
  readonly executor: string | null;
  /** Fallbacks, in order, for an account that hit its quota or is not logged in; absent: none. */
  readonly fallbacks?: readonly string[];
  /** `read`: it may change nothing; absent: it may write. */
  readonly access?: "read";
  readonly model: string | null;
  readonly timeoutMs: number | null;
  /** How many of its attempts may run at once in one run; absent: as many as there is work for. */
  readonly concurrency?: number;
  /** Role files: name in the agent's home, path relative to the workflow file. */
  readonly files: Readonly<Record<string, string>>;
}

export interface WorkspacePolicy {
  /** `own`: Pawl creates the run's branch. `by_step`: the tree starts detached, and a step names and creates the branch. */
  readonly branch: "own" | "by_step";
  readonly onFailure: "keep" | "reset";
  /** `keep`: what a step leaves uncommitted stays for a later one to commit, until the run ends; absent: it is committed at once. */
  readonly uncommitted?: "keep";
  /** Files that tools leave behind, besides the known ones, as lines of a .gitignore; absent: no others. */
  readonly byProducts?: readonly string[];
  /** Variables for programs that run in a story's tree; `{{slot}}`, `{{story}}` and `{{run}}` are replaced. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Run-wide caps. They always apply; the defaults are far beyond any normal run. */
export interface Caps {
  readonly attempts: number;
  readonly steps: number;
  readonly wallMs: number;
  readonly costUsd: number;
  readonly tokens: number;
  /** What happens at a cap: the run fails, or a person is asked whether to raise it. */
  readonly then: "fail" | "gate";
  /** Running out of time stops a running attempt; its work is kept. */
  readonly hard: boolean;
  /** What happens where the cost of an executor is not known. Absent: the run continues, and says that its cap cannot hold. */
  readonly unknown?: "stop";
  /** How often one step may be lost to a dead machine or a killed driver. */
  readonly lostPerStep: number;
  /** Caps that a file sets to the very value of the default. */
  readonly given?: readonly CapName[];
}

/** The caps that a run can reach. */
export type CapName = "attempts" | "steps" | "wallMs" | "costUsd" | "tokens";

export const defaultCaps: Caps = {
  attempts: 10_000,
  steps: 10_000,
  wallMs: 30 * 24 * 3_600_000,
  costUsd: 1_000,
  tokens: 10_000_000_000,
  then: "fail",
  hard: false,
  lostPerStep: 25,
};

/** Whether a file sets the cap. */
export function isGiven(caps: Caps, name: CapName): boolean {
  return caps[name] !== defaultCaps[name] || caps.given?.includes(name) === true;
}

interface StepBase {
  readonly name: StepName;
  readonly title: string;
  /** Not in the chain at its start. Only a route inserts it, never an edit. */
  readonly spare?: boolean;
  /** It runs only if this holds when its chain reaches it, else it is skipped; absent: it always runs. */
  readonly if?: Condition;
  /** The workflow that it was included with; absent: it is the file's own. */
  readonly include?: Inclusion;
  /** The key with the list for whose entries it runs, one after the other; absent: it runs once. */
  readonly repeatFor?: string;
  /** The includes that begin with it and have a condition or a list, from the outermost; absent: none does. */
  readonly entries?: readonly Entry[];
}

/** An include that is skipped as a whole unless its condition holds when its chain reaches its first step, or that is repeated. */
export interface Entry {
  readonly include: string;
  /** Absent: it is always entered. */
  readonly if?: Condition;
  /** The key with the list for whose entries it runs, one after the other; absent: it runs once. */
  readonly repeatFor?: string;
}

/** The fields of every step that is performed, rather than only waited for. */
interface PerformedStep extends StepBase {
  /** The template of the prompt. */
  readonly input: string;
  /** Only these output keys reach the context; null: all of them. */
  readonly produces: readonly string[] | null;
  /** The output key whose value decides, folded to lower case; null: `STATUS` says passed or rejected. */
  readonly decide: string | null;
  /** Text that a passing output must contain. */
  readonly expects: string | null;
  readonly on: Readonly<Partial<Record<VerdictKey, RouteRule>>>;
  /** The rule for an attempt that did not complete. It never jumps, since a crash decides nothing. */
  readonly onError: RouteRule;
  /** Rules for one outcome alone, instead of `onError`; absent: none has its own. */
  readonly onErrorBy?: Readonly<Partial<Record<ErrorOutcome, RouteRule>>>;
  /** The rule for an answer that cannot be read; absent: `onError`. */
  readonly onUnreadable?: RouteRule;
  /** One limit for all routes back of this step together. */
  readonly budget: Limit | null;
  /** What the runtime checks after the agent says it is done; a red check turns the verdict into `rejected checks`. */
  readonly checks: readonly Check[];
  /** Parts of the step that are performed at the same time, each with attempts of its own; absent: it is performed as a whole. */
  readonly parts?: PartsDefinition;
  /** `read`: it may change nothing, whatever its agent may; absent: its agent's access decides. */
  readonly access?: "read";
  /** The files that its agent is told to read, in order; `{story}` stands for the story's id; absent: it is told none. */
  readonly reads?: readonly string[];
  /** The files that it may change, as patterns; others are noted, never refused; absent: any. */
  readonly writes?: readonly string[];
  /** Variables of its command and its checks; the values are templates. Nothing else gives a command a value. */
  readonly env?: Readonly<Record<string, string>>;
  readonly wallMs: number | null;
  readonly quietMs: number | null;
  /** It ends with a SUMMARY, which becomes its notes. It passes without a STATUS line, too, unless it `expects` something. */
  readonly summary?: boolean;
  /** It asks a person before it starts, once per visit; absent: only where the run asks before every step. */
  readonly waits?: boolean;
  /** It never runs beside another step of its chain. */
  readonly barrier?: boolean;
  /** It needs the work of the step before it, so the two are never in one wave. */
  readonly dependent?: boolean;
  /** At most one attempt of all steps with this lock runs at once, over all runs of the store; absent: none. */
  readonly lock?: string;
  /** Only a machine with all of these labels performs it; absent: any machine. */
  readonly labels?: readonly string[];
  /** How many stories may be at this step at once; absent: any number. */
  readonly concurrency?: number;
  /** Continues the session in which that step of the same chain was last performed; absent: a fresh one. */
  readonly session?: StepName;
  /** Its agent may request edits of the steps after it. */
  readonly editable?: boolean;
  /** No edit skips it. */
  readonly mandatory?: boolean;
  /** No edit puts anything after it, or a second one into the chain. */
  readonly last?: boolean;
  /** No reordering puts a step with one of these names after the last step of this name. */
  readonly follows?: readonly StepName[];
}

export interface AgentStep extends PerformedStep {
  readonly kind: "agent";
  readonly agent: AgentName;
}

export interface CommandStep extends PerformedStep {
  readonly kind: "command";
  readonly command: string;
}

/** Turns the work of a story into one commit on the base: rebased, checked again, squashed. The runtime itself performs it. */
export interface IntegrateStep extends PerformedStep {
  readonly kind: "integrate";
  /** The commit's message; `{{story}}` and `{{title}}` are replaced. */
  readonly message: string;
}

/** Reads a value from files, or from what stories said. The runtime itself performs it: without an agent, a process or a token. */
export interface DecisionStep extends PerformedStep {
  readonly kind: "decision";
  /** A reader of the protocol, or a general one. Its values are those of `on`. */
  readonly reader: string;
  /** The file that a general reader reads, or what stories said; absent: a reader of the protocol finds its files itself. */
  readonly source?: DecisionSource | Vote;
}

export interface DecisionSource {
  /** A path inside of the project; a template. */
  readonly file: string;
  /** A JSON Pointer to the word that decides; absent: the whole document. */
  readonly at?: string;
  /** Each value, with the words of the file that mean it. */
  readonly words?: Readonly<Record<string, readonly DecisionWord[]>>;
}

export type DecisionWord = string | number | boolean | null;

export interface GateStep extends StepBase {
  readonly kind: "gate";
  readonly question: string;
  readonly options: GateOptions;
  readonly deadline?: GateDeadline;
  /** A program answers it, by this signal; absent: a person does. */
  readonly signal?: SignalWait;
}

export interface StoriesStep extends StepBase {
  readonly kind: "stories";
  readonly body: readonly StepDefinition[];
  readonly concurrency: number;
  /** Rejections and failures of one story together, where its steps have no limit of their own. */
  readonly storyBudget: Limit;
  /** `stop`: start no new story and let running ones end. `continue`: continue with the others. */
  readonly onStoryFailed: "stop" | "continue";
  /** How many stories must be done; absent: all. */
  readonly need?: number;
  /** `stop`: the others are stopped as soon as it is known how the step ends; absent: they end first. */
  readonly others?: "stop";
  /** `worktree`: each story has a tree and a branch of its own; absent: all work in the run's. */
  readonly workspace?: "worktree";
  /** The prefix of a story's branch, before its id. */
  readonly branchPrefix?: string;
  /** `numbers`: step ids are `step-001`, `step-002` …; absent: they are the names from the file. */
  readonly ids?: "numbers";
  /** `nothing`: going back to it without new stories adds none; absent: it adds one that has the feedback as its task. */
  readonly sentBack?: "nothing";
  /** How many steps the chain of a story may have. */
  readonly maxSteps?: number;
  /** How often a step may request its own restart. */
  readonly restarts?: number;
}

/** Joins what the parts of a step changed, each in a tree of its own. No file has such a step: it is one more part. */
export interface JoinStep extends PerformedStep {
  readonly kind: "join";
}

export type PerformedDefinition = AgentStep | CommandStep | IntegrateStep | DecisionStep;
/** What an attempt performs: a step, one part of it, or the join of its parts. */
export type PerformedWork = PerformedDefinition | JoinStep;
export type StepDefinition = PerformedDefinition | GateStep | StoriesStep;

export function isPerformed(definition: StepDefinition): definition is PerformedDefinition {
  return definition.kind !== "gate" && definition.kind !== "stories";
}

/** Whether a part may change files, and so works in a tree of its own. `part`: what the file says of it, if anything. */
export function mayWrite(
  { agents }: Pick<Definition, "agents">,
  step: PerformedDefinition,
  part: Pick<PartDefinition, "agent" | "access"> = {},
): boolean {
  if ((part.access ?? step.access) === "read") return false;
  const agent = part.agent ?? (step.kind === "agent" ? step.agent : undefined);
  return agent === undefined || !Object.hasOwn(agents, agent) || agents[agent]?.access !== "read";
}

/** Whether any of its parts may change files. */
export function partsWrite(definition: Pick<Definition, "agents">, step: PerformedDefinition): boolean {
  if (step.parts === undefined) return false;
  const { of } = step.parts;
  return "list" in of ? of.list.some((part) => mayWrite(definition, step, part)) : mayWrite(definition, step);
}

/** Whether its stories work in trees of their own, and are integrated one by one. */
export function hasStoryTrees({ steps }: Definition): boolean {
  return steps.some((step) => step.kind === "stories" && step.workspace === "worktree");
}

/** Whether a `stories` step can pass while some of its stories are not done, or stops some of them. */
export function hasNeed({ steps }: Definition): boolean {
  return steps.some((step) => step.kind === "stories" && (step.need !== undefined || step.others !== undefined));
}

export const defaultRestarts = 3;
