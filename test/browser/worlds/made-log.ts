// Logs that could have been: the engine decides, a clock and dice do the rest. They are put into a store whole, so that a run of
// 20,000 events takes a second to make.

import type { Application } from "../../../src/application/application.ts";
import type { Command, StartRun } from "../../../src/domain/command.ts";
import type { Accepted, Decision } from "../../../src/domain/decision.ts";
import type { Effect } from "../../../src/domain/effect.ts";
import type { Event } from "../../../src/domain/event.ts";
import type { AttemptId, StoryId } from "../../../src/domain/ids.ts";
import type { Report } from "../../../src/domain/report.ts";
import type { Run } from "../../../src/domain/run.ts";
import type { Step } from "../../../src/domain/step.ts";
import { decide, startRun } from "../../../src/engine/decide.ts";
import { newAttemptId, newToken } from "../../../src/system/ids.ts";

/** What the attempt of a step reports; `dice` returns a number from 0 to 1, the same in each making. */
export type Reporting = (step: Step, story: StoryId | null, dice: () => number) => Report;

export interface LogOptions {
  readonly start: StartRun;
  readonly report: Reporting;
  /** It stops at the first moment with as many. Default: the run goes to its end. */
  readonly events?: number;
}

interface Working {
  readonly attempt: AttemptId;
  readonly story: StoryId | null;
  readonly step: Step;
  readonly endsAt: number;
}

export function makeLog({ start, report, events: most = Number.POSITIVE_INFINITY }: LogOptions): Accepted {
  const dice = diceOf(7);
  const events: Event[] = [];
  const effects: Effect[] = [];
  let run = taken(startRun(start));
  let at = start.at;
  const working: Working[] = [];
  const command = (given: Command) => {
    run = taken(decide(run, given));
  };
  for (;;) {
    for (const { story, step } of readySteps(run)) {
      const attempt = newAttemptId();
      const base = { at, author: "driver", story, attempt } as const;
      command({
        ...base,
        type: "start_attempt",
        step: step.id,
        token: newToken(),
        driver: "push",
        executor: "claude",
        host: "here",
      });
      command({ ...base, type: "begin_attempt", at: at + 200, workspace: null, base: null });
      working.push({ attempt, story, step, endsAt: at + 30_000 + Math.round(dice() * 400_000) });
    }
    const next = working.toSorted((one, other) => one.endsAt - other.endsAt)[0];
    if (next === undefined || events.length >= most) break;
    working.splice(working.indexOf(next), 1);
    at = next.endsAt;
    const { attempt, story, step } = next;
    const said = report(step, story, dice);
    command({ type: "finish_attempt", at, author: "driver", story, attempt, token: null, report: said });
  }
  return { accepted: true, run, events, effects };

  function taken(decision: Decision): Run {
    if (!decision.accepted) throw new Error(`the engine refused: ${decision.why}`);
    events.push(...decision.events);
    return decision.run;
  }
}

/** Returns the run's number. Its effects are left out: nothing is there to be closed or stopped. */
export async function storeLog(app: Application, made: Accepted): Promise<number> {
  return await app.change(null, async ({ parts }) =>
    parts.store.transaction(async (tx) => {
      const number = await tx.nextRunNumber();
      await parts.dispatch.follow(tx, await tx.create(number, made));
      return number;
    }),
  );
}

function readySteps({ header, stories }: Run): readonly { readonly story: StoryId | null; readonly step: Step }[] {
  const open = header.stories.filter(({ status }) => status === "running");
  const scopes = [{ id: null, chain: header.chain }, ...open.flatMap(({ id }) => stories[id] ?? [])];
  return scopes.flatMap(({ id, chain }) =>
    chain.filter(({ state }) => state.status === "ready").map((step) => ({ story: id, step })),
  );
}

function diceOf(seed: number): () => number {
  let last = seed;
  return () => {
    last = (last * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return last / 2 ** 32;
  };
}
