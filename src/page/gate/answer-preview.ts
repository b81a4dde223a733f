// What an answer would do, before it is given. Owns: asking the engine's own `decide` on the folded run, and its events in plain words.
// Nothing is sent: the service asks the same function again when the answer comes.

import type { Event } from "../../domain/event.ts";
import type { Gate } from "../../domain/gate.ts";
import { type Run, scopeOf, statusOf } from "../../domain/run.ts";
import { decide } from "../../engine/decide.ts";
import { markdownText } from "../parts/markdown.ts";
import { spanText } from "../parts/time-text.ts";
import { previewTexts as texts } from "../texts/gate.ts";

export interface Preview {
  readonly isRefused: boolean;
  /** The most important first, at least one. */
  readonly sentences: readonly string[];
}

interface PossibleAnswer {
  readonly option: string;
  readonly reason: string | null;
  readonly note: string;
}

const mostSentences = 4;
const longestQuestion = 80;

export function previewAnswer(run: Run, gate: Gate, { option, reason, note }: PossibleAnswer, at: number): Preview {
  const decision = decide(run, {
    type: "answer_gate",
    at,
    author: "user:preview",
    story: gate.story,
    gate: gate.id,
    option,
    note,
    tree: gate.tree,
    ...(reason === null ? {} : { reason }),
  });
  if (!decision.accepted) {
    const lacksWords = gate.cause === "asked" && option === "answer" && note.trim() === "";
    return { isRefused: true, sentences: [texts.refused(lacksWords ? texts.needsWords : decision.why)] };
  }
  const sentences = wordsFor(decision.events, { before: run, after: decision.run, at });
  const isRenewed = gate.cause === "exhausted" && decision.events.some(({ type }) => type === "limits_renewed");
  if (isRenewed) sentences.push(texts.limitsRenewed);
  if (statusOf(decision.run.header) === "paused") sentences.push(texts.paused);
  return {
    isRefused: false,
    sentences: sentences.length === 0 ? [texts.continues] : sentences.slice(0, mostSentences),
  };
}

interface Moment {
  readonly before: Run;
  readonly after: Run;
  readonly at: number;
}

function wordsFor(events: readonly Event[], moment: Moment): string[] {
  const reset = new Set(events.flatMap((event) => (event.type === "steps_reset" ? event.steps.slice(0, 1) : [])));
  const of = <T extends Event["type"]>(type: T) =>
    events.filter((event): event is Extract<Event, { type: T }> => event.type === type);
  const name = (event: Pick<Event, "story">, step: string) => nameOf(moment, event.story, step);
  return unique([
    ...of("run_ended").map(({ status, reason }) =>
      texts.because(texts.runEnds[status], status === "done" ? "" : firstLineOf(reason)),
    ),
    ...of("steps_inserted").map((event) => texts.added(event.steps.map((step) => step.name).join(", "))),
    ...of("parts_opened").map((event) => texts.parts(name(event, event.step), event.parts.length)),
    ...of("step_readied").flatMap((event) =>
      reset.has(event.step) ? [] : [startOf(name(event, event.step), event.notBefore - moment.at)],
    ),
    ...of("steps_reset").map((event) => texts.startsAgain(name(event, event.steps[0] ?? ""), event.steps.length)),
    ...of("gate_opened").map(({ gate }) => texts.asks(markdownText(firstLineOf(gate.question)))),
    ...storyWords(of("story_changed"), moment.before),
    // The end of the run says it already.
    ...(of("run_ended").length > 0 ? [] : of("step_failed")).map((event) =>
      texts.stepFails(name(event, event.step), firstLineOf(event.reason)),
    ),
    ...skippedWords(of("steps_skipped")),
    ...of("caps_raised").map(() => texts.capRaised),
  ]);
}

function startOf(step: string, waitMs: number): string {
  return waitMs >= 1_000 ? texts.startsLater(step, spanText(waitMs)) : texts.starts(step);
}

function skippedWords(events: readonly { readonly steps: readonly string[] }[]): readonly string[] {
  const count = events.reduce((sum, { steps }) => sum + steps.length, 0);
  return count === 0 ? [] : [texts.skipped(count)];
}

/** The last status of each story that becomes another one. One is named, several are counted. */
function storyWords(events: readonly Extract<Event, { type: "story_changed" }>[], before: Run): readonly string[] {
  const known = new Map<string, string>(before.header.stories.map(({ id, status }) => [id, status]));
  const last = new Map<string, string>(events.map(({ of, status }) => [of, status]));
  const groups = new Map<string, string[]>();
  for (const [id, status] of last) {
    // A story that was held runs again whatever the answer says.
    if (known.get(id) === status || (status === "running" && known.get(id) === "held")) continue;
    groups.set(status, [...(groups.get(status) ?? []), id]);
  }
  return [...groups].map(([status, ids]) => {
    if (status === "running") return texts.storiesStart(ids.length);
    return ids.length === 1 ? texts.storyIs(ids[0] ?? "", status) : texts.storiesEnd(ids.length, status);
  });
}

function nameOf({ before, after }: Moment, story: Event["story"], step: string): string {
  const chains = [before, after].flatMap((run) => scopeOf(run, story)?.chain ?? []);
  const name = chains.find(({ id }) => id === step)?.name ?? step;
  return story === null ? name : `${story} ${name}`;
}

function firstLineOf(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > longestQuestion ? `${line.slice(0, longestQuestion - 1)}…` : line;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
