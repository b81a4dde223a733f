// The desk of an attempt: what its agent reports, asks and looks up while it runs, by tools and by commands of Pawl. How it is called is
// in src/mcp.

import type { Attempt } from "../../../domain/attempt.ts";
import type { Check } from "../../../domain/check.ts";
import type { PerformedWork } from "../../../domain/definition.ts";
import type { EditOperation, EditRequest } from "../../../domain/edit.ts";
import type { CompletedReport, UnfinishedReport } from "../../../domain/report.ts";
import { anyOtherValue, decidedValues } from "../../../domain/route.ts";
import { contextOf, type Run, scopeOf } from "../../../domain/run.ts";
import { editChain } from "../../../engine/chain/chain-edits.ts";
import { chainLines } from "../../../engine/chain/chain-rules.ts";
import { definitionOf } from "../../../engine/definitions.ts";
import { Draft } from "../../../engine/draft.ts";
import { isExample } from "../../../prompts/echo.ts";
import { cleanText, cutEnd } from "../../../prompts/plaintext.ts";
import { type Given, readGiven } from "../../../prompts/report.ts";
import { readEdits } from "../../../protocols/files/edit-request.ts";

/** The immediate answer to a call. A refusal says why, so that the agent can call again. */
export interface Reply {
  readonly accepted: boolean;
  readonly text: string;
}

interface Failing {
  readonly reason: string;
  readonly kind?: "cannot" | "blocked" | "invalid_input" | undefined;
  readonly retryable?: boolean | undefined;
}

interface Progressing {
  readonly message: string;
  readonly percent?: number | undefined;
}

interface Asking {
  readonly question: string;
  readonly options?: readonly string[] | undefined;
  readonly context?: string | undefined;
}

/** A whole answer, in place of what the agent prints: `pawl step complete` and `pawl step fail` hand it in. */
export type HandedIn =
  | { readonly outcome: "ran"; readonly text: string }
  | { readonly outcome: "failed"; readonly text: ""; readonly why: string };

/** Where a desk can be reached. */
export interface OpenDesk {
  readonly url: string;
  readonly token: string;
  /** From here on no call is answered: the token is void. */
  close(): void;
}

/** Offers desks to agents. */
export interface ToolServer {
  open(desk: Desk): Promise<OpenDesk>;
  close(): Promise<void>;
}

/** What the desk knows of the attempt. */
interface AttemptAtDesk {
  readonly run: Run;
  readonly number: number;
  readonly attempt: Attempt;
  readonly definition: PerformedWork;
}

interface PromptFacts {
  readonly input: string;
  readonly progressFile: string;
  readonly system: string;
  readonly prompt: string;
}

const maxTextBytes = 4 * 1024;
const maxLine = 500;
const maxOptions = 10;
const longestOption = 80;
const maxOperations = 100;

/** One per attempt, in memory. The last report that was accepted counts. */
export class Desk {
  readonly claim: AttemptAtDesk;
  readonly #input: PromptFacts;
  readonly #onSign: () => void;
  readonly #log: (line: string) => void;
  #reported: CompletedReport | UnfinishedReport | null = null;
  #handedIn: HandedIn | null = null;
  #onHandedIn: (answer: HandedIn) => void = () => undefined;
  #operations: readonly EditOperation[] = [];
  #editNotes: readonly string[] = [];
  #isClosed = false;

  /** `onSign`: every call is a sign of life. `log`: gets one line for each call. */
  constructor(claim: AttemptAtDesk, input: PromptFacts, onSign: () => void, log: (line: string) => void) {
    this.claim = claim;
    this.#input = input;
    this.#onSign = onSign;
    this.#log = log;
  }

  /** What the agent reported; null: nothing, and what it printed counts. */
  get report(): CompletedReport | UnfinishedReport | null {
    const { edits } = this;
    if (this.#reported?.outcome !== "completed" || edits === undefined) return this.#reported;
    return { ...this.#reported, edits };
  }

  /** The answer that the agent handed in; null: none, and what it printed counts. */
  get handedIn(): HandedIn | null {
    return this.#handedIn;
  }

  /** Called when an answer was handed in. */
  onHandedIn(listener: (answer: HandedIn) => void): void {
    this.#onHandedIn = listener;
  }

  /** How the agent wants its chain changed, also where its report is what it printed. */
  get edits(): EditRequest | undefined {
    if (this.#operations.length === 0) return undefined;
    return { operations: this.#operations, notes: this.#editNotes };
  }

  /** What a report of this step may say; empty: any word. */
  get outcomes(): readonly string[] {
    const { definition } = this.claim;
    const rules = Object.keys(definition.on);
    if (definition.decide !== null)
      return definition.on[anyOtherValue] === undefined ? decidedValues(definition.on) : [];
    return rules.some((rule) => rule.startsWith("rejected")) ? ["done", "retry"] : ["done"];
  }

  /** The stories of its workflow have not begun, so this attempt may plan them. */
  get mayPlan(): boolean {
    const { run, attempt } = this.claim;
    const { chain, definition } = run.header;
    const stories = definition.steps.find(({ kind }) => kind === "stories");
    const step = chain.find(({ name }) => name === stories?.name);
    return attempt.story === null && step?.state.status === "waiting";
  }

  complete(given: Given): Reply {
    return this.#answer("complete", () => {
      const { definition, run } = this.claim;
      const { knownKeys } = run.header.definition;
      if (definition.summary && !given.summary?.trim())
        return refuse("`summary` is empty; say what the next steps need to know");
      const { system, prompt } = this.#input;
      const told = { text: `${system}\n${prompt}`, written: `${system}\n${definition.input}` };
      if (definition.summary && isExample(given.summary ?? "", told))
        return refuse("`summary` repeats your prompt; say what you did");
      const report = readGiven(definition, given, knownKeys, told);
      if (report.outcome === "invalid_output") return refuse(`${report.why}${this.#allowed()}`);
      if (report.outcome !== "completed") return this.#record(report, `it failed: ${report.why}`);
      const { verdict } = report;
      if (verdict.kind === "rejected" && !saysWhy(given))
        return refuse("the step that gets the work back must know why: say in `summary` what has to change");
      if (verdict.kind === "rejected" && !this.outcomes.includes("retry"))
        return refuse(`this step sends nothing back${this.#allowed()}`);
      const said = verdict.kind === "value" ? verdict.value : verdict.kind;
      return this.#record(report, [said, ...report.notes].join("; "));
    });
  }

  fail({ reason, kind = "cannot", retryable = true }: Failing): Reply {
    return this.#answer("fail", () => {
      const said = textOf(reason);
      if (said === "") return refuse("`reason` is empty; say what is in the way");
      const why = kind === "invalid_input" ? `what it was given is wrong: ${said}` : said;
      const failed: UnfinishedReport = { outcome: "failed", why, retryAt: null, notes: [] };
      const helpless = kind === "blocked" || !retryable;
      return this.#record(helpless ? { ...failed, asks: `The agent cannot continue: ${why}` } : failed, why);
    });
  }

  /** It is read when the agent has ended, as if the agent had printed it. */
  handIn(answer: HandedIn): Reply {
    const said = answer.outcome === "ran" ? lineOf(answer.text) : `it failed: ${lineOf(answer.why)}`;
    const work = () => {
      [this.#handedIn, this.#reported] = [answer, null];
      this.#onHandedIn(answer);
      return { accepted: true, text: "it counts as soon as this agent has ended: end your turn now" };
    };
    return this.#answer("step", work, said);
  }

  progress({ message, percent }: Progressing): Reply {
    const share = percent === undefined ? "" : `${Math.round(Math.min(100, Math.max(0, percent)))} % `;
    return this.#answer("progress", () => ({ accepted: true, text: "Noted." }), `${share}${lineOf(message)}`);
  }

  /** Does not wait for the answer: agents cut a tool call that takes longer than a minute. */
  ask({ question, options = [], context = "" }: Asking): Reply {
    return this.#answer("ask_human", () => {
      const asked = textOf([question, context].map((text) => text.trim()).join("\n\n"));
      if (question.trim() === "") return refuse("`question` is empty");
      const words = [...new Set(options.map((option) => cleanText(option).text.trim()))];
      const wrong = words.find((word) => word === "" || word.length > longestOption || /[:\n]/.test(word));
      if (words.length > maxOptions || wrong !== undefined) {
        const shape = `at most ${maxOptions} options of one line, up to ${longestOption} characters, without a colon`;
        return refuse(`give ${shape}; put the details into \`question\``);
      }
      const earlier = this.#reported?.outcome === "failed" ? this.#reported.asked : undefined;
      // A second question does not replace the first one.
      const all =
        earlier === undefined
          ? { question: asked, options: words }
          : { question: `${withOptions(earlier)}\n\n${withOptions({ question: asked, options: words })}`, options: [] };
      const report = {
        outcome: "failed",
        why: `it asks: ${all.question}`,
        retryAt: null,
        notes: [],
        asked: all,
      } as const;
      this.#record(report, lineOf(question));
      return {
        accepted: true,
        text: `Recorded. End your turn now; you will be started again with the answer. Files stay as they are.${this.#operations.length === 0 ? "" : " Ask for your changes of the chain again then."}`,
      };
    });
  }

  /** What the agent may look up, so that its prompt need not have it all. */
  context(): Readonly<Record<string, unknown>> {
    this.#onSign();
    const { run, number, attempt, definition } = this.claim;
    const { header } = run;
    const scope = scopeOf(run, attempt.story);
    const entry = header.stories.find(({ id }) => id === attempt.story);
    return {
      run: { id: header.id, number, workflow: header.definition.id, task: header.task },
      story: entry === undefined ? null : { id: entry.id, title: entry.title },
      step: { id: attempt.step, name: attempt.name, title: definition.title, attempt: attempt.number },
      input: this.#input.input,
      feedback: scope?.chain.find(({ id }) => id === attempt.step)?.feedback ?? "",
      context: contextOf(run, attempt.story),
      outcomes: this.outcomes,
      outputs: definition.produces,
      checks: this.#checks(),
      steps: chainLines(new Draft(run, preview), attempt.story),
      mayEdit: definition.editable ?? false,
      files: { progress: this.#input.progressFile || null, shared: header.place.shared ?? null },
    };
  }

  /** Calls add up, and an empty list takes all of them back. At the end the same rules decide again. */
  edit({ operations }: { readonly operations: readonly unknown[] }): Reply {
    return this.#answer("edit_workflow", () => {
      const { run, attempt, definition } = this.claim;
      if (!definition.editable) return refuse(`a ${definition.name} step may not change the chain`);
      if (operations.length === 0) {
        [this.#operations, this.#editNotes] = [[], []];
        return { accepted: true, text: "Recorded: the chain stays as it is." };
      }
      const read = readEdits(JSON.stringify(operations));
      if ("unreadable" in read) return refuse(read.unreadable);
      const all = [...this.#operations, ...read.operations];
      if (all.length > maxOperations) return refuse(`at most ${maxOperations} operations are taken from one attempt`);
      const draft = new Draft(run, preview);
      const by = scopeOf(run, attempt.story)?.chain.find(({ id }) => id === attempt.step) ?? null;
      const edited = editChain(draft, all, { story: attempt.story, by, notes: [] });
      if (!edited.applied) return refuse(`${edited.why}; nothing of this call is recorded`);
      this.#operations = all;
      this.#editNotes = [...this.#editNotes, ...read.notes];
      const chain = chainLines(draft, attempt.story).map(({ id, name, status }) => `${id} ${name} (${status})`);
      const text = `Recorded. When you have completed your step, the chain will be:\n${chain.join("\n")}`;
      return { accepted: true, text: [text, ...read.notes].join("\n") };
    });
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Those of the step, also where the agent performs a part of it. */
  #checks(): readonly Check[] {
    const { run, attempt } = this.claim;
    const step = definitionOf(run, attempt.story, attempt.name);
    return "checks" in step ? step.checks : [];
  }

  #answer(tool: string, work: () => Reply, said?: string): Reply {
    if (this.#isClosed) return refuse("this attempt has ended");
    this.#onSign();
    const reply = work();
    this.#log(`${tool}: ${said ?? lineOf(reply.text)}`);
    return reply;
  }

  #record(report: CompletedReport | UnfinishedReport, said: string): Reply {
    const again = (this.#reported ?? this.#handedIn) === null ? "" : " in place of what you reported before";
    [this.#reported, this.#handedIn] = [report, null];
    return { accepted: true, text: `Recorded${again}: ${said}. End your turn when nothing is left to do.` };
  }

  #allowed(): string {
    const { outcomes } = this;
    return outcomes.length === 0 ? "" : `; \`outcome\` is one of: ${outcomes.join(", ")}`;
  }
}

/** A preview has no real author and no real time. */
const preview = { at: 0, author: "preview" } as const;

function saysWhy({ summary = "", outputs = {} }: Given): boolean {
  return [summary, ...Object.values(outputs)].some((value) => typeof value !== "string" || value.trim() !== "");
}

function refuse(why: string): Reply {
  return { accepted: false, text: `Not recorded: ${why}.` };
}

function textOf(text: string): string {
  return cutEnd(cleanText(text).text.trim(), maxTextBytes);
}

function lineOf(text: string): string {
  const [line = ""] = cleanText(text).text.trim().split("\n", 1);
  return line.length > maxLine ? `${line.slice(0, maxLine - 1)}…` : line;
}

function withOptions({
  question,
  options,
}: {
  readonly question: string;
  readonly options: readonly string[];
}): string {
  return options.length === 0 ? question : `${question} (${options.join(", ")})`;
}
