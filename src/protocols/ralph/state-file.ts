// Projects a run into `workflow_state.json`. The file is written from the store and never read back as authoritative.

import type { Attempt } from "../../domain/attempt.ts";
import type { Definition, StepDefinition } from "../../domain/definition.ts";
import type { Event } from "../../domain/event.ts";
import type { StepId, StepName, StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { Story, StoryEntry, StorySpec } from "../../domain/story.ts";
import { type Define, isHidden, StoryHistory } from "./history.ts";
import type { ImportedState, RawStory } from "./imported-state.ts";
import { type StateDocument, type StateStep, type StateStory, stateTime, storyStatusInFile } from "./state-document.ts";
import { stepDocument } from "./state-step.ts";

interface ProjectionOptions {
  /** The name of the PRD in the file. */
  readonly prdFile: string;
  readonly imported: ImportedState | null;
}

/** The text of a story, and what it was made from. */
interface StoryText {
  readonly entry: StoryEntry;
  readonly spec: StorySpec | undefined;
  readonly scope: Story | undefined;
  readonly bytes: Uint8Array;
}

export class StateProjection {
  readonly #options: ProjectionOptions;
  readonly #raw: ReadonlyMap<StoryId, RawStory>;
  readonly #stories = new Map<StoryId, StoryHistory>();
  readonly #texts = new Map<StoryId, StoryText>();
  #define: Define = () => undefined;

  constructor(options: ProjectionOptions) {
    this.#options = options;
    this.#raw = new Map(options.imported?.stories.map(({ spec, raw }) => [spec.id, raw]));
  }

  /** Must be called once for every event of the log, in order. */
  apply(event: Event): void {
    if (event.type === "run_started") this.#define = definitionsIn(event.definition);
    const story = event.type === "story_changed" ? event.of : event.story;
    if (story === null) return;
    this.#historyOf(story).apply(event);
    this.#texts.delete(story);
  }

  /** The document in pieces. `run` must have all its stories. The piece of a story that has not changed is kept: a thousand stories are several megabytes. */
  pieces(run: Run, specs: readonly StorySpec[]): readonly Uint8Array[] {
    const define = definitionsIn(run.header.definition);
    const specOf = new Map(specs.map((spec) => [spec.id, spec]));
    const stories = run.header.stories.flatMap((entry, index) => {
      const [spec, scope] = [specOf.get(entry.id), run.stories[entry.id]];
      const known = this.#texts.get(entry.id);
      const before = index === 0 ? [] : [betweenStories];
      if (known?.entry === entry && known.spec === spec && known.scope === scope) return [...before, known.bytes];
      const document = this.#story(entry, spec, this.#stepsOf(run, entry.id, define));
      const bytes = Buffer.from(memberOfStories(entry.id, document));
      this.#texts.set(entry.id, { entry, spec, scope, bytes });
      return [...before, bytes];
    });
    const frame = stateText({ ...this.#frame(run), stories: {} });
    if (stories.length === 0) return [Buffer.from(frame)];
    const [begin = "", end = ""] = frame.split(/(?<=\{)(?=\}\n\}\n$)/);
    return [Buffer.from(`${begin}\n`), ...stories, Buffer.from(`\n  ${end}`)];
  }

  #frame(run: Run): Omit<StateDocument, "stories"> {
    return {
      version: 1,
      created_at: this.#options.imported?.createdAt ?? stateTime(run.header.startedAt),
      prd_file: this.#options.prdFile,
    };
  }

  #story(entry: StoryEntry, spec: StorySpec | undefined, steps: readonly StateStep[]): StateStory {
    const history = this.#historyOf(entry.id);
    const raw = this.#raw.get(entry.id);
    const status = storyStatusInFile[entry.status];
    return {
      story_id: entry.id,
      title: spec?.title ?? entry.title,
      status,
      agent_id: entry.slot ?? history.agent ?? raw?.agent_id ?? null,
      claimed_at: raw?.claimed_at ?? history.claimedAt,
      completed_at: status === "completed" ? (history.completedAt ?? raw?.completed_at ?? null) : null,
      depends_on: spec?.dependsOn ?? entry.dependsOn,
      steps,
      history: [...(raw?.history ?? []), ...history.entries],
    };
  }

  #stepsOf(run: Run, id: StoryId, define: Define): readonly StateStep[] {
    const story = run.stories[id];
    if (!story) return [];
    const attempts = Map.groupBy(story.attempts, ({ step }): StepId => step);
    const before = new Map(this.#raw.get(id)?.steps?.map((step) => [step.id, step]));
    return story.chain
      .map((step) => ({ step, definition: define(step.name) }))
      .filter(({ definition }) => !isHidden(definition))
      .map(({ step, definition }) => {
        const own: readonly Attempt[] = attempts.get(step.id) ?? [];
        return stepDocument({ story: id, step, definition, attempts: own, before: before.get(step.id) ?? null });
      });
  }

  #historyOf(story: StoryId): StoryHistory {
    const known = this.#stories.get(story);
    if (known) return known;
    const history = new StoryHistory((name) => this.#define(name), this.#raw.get(story)?.status ?? null);
    this.#stories.set(story, history);
    return history;
  }
}

const betweenStories = Buffer.from(",\n");

/** The lines of a story as they stand in the whole document. */
function memberOfStories(id: StoryId, story: StateStory): string {
  const whole = JSON.stringify({ stories: { [id]: story } }, null, 2);
  return whole.slice(whole.indexOf("\n", 2) + 1, whole.lastIndexOf("\n  }"));
}

export function stateText(document: StateDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function definitionsIn(definition: Definition): Define {
  const bodies = definition.steps.flatMap((step) => (step.kind === "stories" ? step.body : []));
  const byName = new Map<StepName, StepDefinition>(bodies.map((step) => [step.name, step]));
  return (name) => byName.get(name);
}
