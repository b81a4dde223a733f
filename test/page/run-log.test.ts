// The page folds the documents of the API with the engine's own `evolve`: what it shows is what the engine has, at every moment.

import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { eventDocument } from "../../src/application/looking/events.ts";
import { definitionDocument } from "../../src/application/workflows/definition.ts";
import type { Event } from "../../src/domain/event.ts";
import { runId } from "../../src/domain/ids.ts";
import type { Run } from "../../src/domain/run.ts";
import { replay } from "../../src/engine/evolve.ts";
import { RunLog } from "../../src/page/run/run-log.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { systemClock } from "../../src/system/clock.ts";
import { Driver } from "../support/engine/driver.ts";
import { featureDev } from "../support/engine/workflow.ts";
import { freshFile } from "../support/programs.ts";

function longRun(stories: number): Driver {
  const run = new Driver(featureDev(), { replayEach: false });
  const names = Array.from({ length: stories }, (_, i) => `US-${i + 1}`);
  run.plan("plan", ...names);
  for (const name of names) {
    run.pass(`${name}/implement`);
    run.reject(`${name}/verify`, "no tests");
    run.pass(`${name}/implement`);
    run.pass(`${name}/verify`);
  }
  return run;
}

function logOf(run: Driver): RunLog {
  const log = new RunLog(JSON.parse(JSON.stringify(definitionDocument(run.run.header.definition))));
  log.append(documentsOf(run.events));
  return log;
}

/** As they come over HTTP. */
function documentsOf(events: readonly Event[]): Parameters<RunLog["append"]>[0] {
  return JSON.parse(JSON.stringify(events.map((event, i) => eventDocument({ seq: i + 1, event }))));
}

/** No document has a token. */
function shownOf(run: Run | null): unknown {
  return JSON.parse(JSON.stringify(run, (key, value: unknown) => (key === "token" ? undefined : value)));
}

test("[PG21] the page's run is the engine's own at every event, across the states that it keeps", () => {
  const run = longRun(40);
  const log = logOf(run);
  expect(log.length).toBeGreaterThan(750);
  const places = [0, 1, 2, 99, 100, 101, 250, 500, 601, log.length - 1, log.length];
  for (const place of places) {
    const expected = place === 0 ? null : replay(run.events.slice(0, place));
    expect(shownOf(log.at(place)), `after ${place} events`).toEqual(shownOf(expected));
  }
});

test("[PG21] events that come twice count once, and a gap is never folded over", () => {
  const run = longRun(1);
  const documents = documentsOf(run.events);
  const log = new RunLog(definitionDocument(run.run.header.definition));
  log.append(documents.slice(0, 10));
  log.append(documents.slice(5, 12));
  expect(log.length).toBe(12);
  expect(() => log.append(documents.slice(13))).toThrow("event 13 is missing");
  expect(log.length).toBe(12);
});

test("[PG21] an event of another version is named, and the run before it stays", () => {
  const run = longRun(1);
  const documents = documentsOf(run.events);
  const log = new RunLog(definitionDocument(run.run.header.definition));
  const other = { ...documents[10], type: "step_polished" } as never;
  expect(() => log.append([...documents.slice(0, 10), other])).toThrow(
    'this version does not know event 11, "step_polished"',
  );
  expect(shownOf(log.at(log.length))).toEqual(shownOf(replay(run.events.slice(0, 10))));
});

test("[PG21 SO30] runs that an older Pawl wrote are folded as the store has them", async () => {
  const file = freshFile("pawl.db");
  const old = new DatabaseSync(file);
  old.exec(readFileSync(new URL("../../src/store/migrations/old/schema-2.sql", import.meta.url), "utf8"));
  old.close();
  const store = await openSqliteStore(file, systemClock);
  onTestFinished(async () => await store.close());
  for (const id of ["run-with-stories", "run-without"].map(runId)) {
    const whole = await store.wholeRun(id);
    const log = new RunLog(JSON.parse(JSON.stringify(definitionDocument((whole as Run).header.definition))));
    log.append(JSON.parse(JSON.stringify((await store.events(id, 0, 1_000)).map(eventDocument))));
    const folded = log.at(log.length);
    expect(statusesIn(folded)).toEqual(statusesIn(whole));
    expect(folded?.header.attempts.length).toBe(whole?.header.attempts.length);
  }
});

function statusesIn(run: Run | null): unknown {
  return [
    run?.header.chain.map(({ id, state }) => `${id} ${state.status}`),
    run?.header.stories.map(({ id, status }) => `${id} ${status}`),
    run?.header.end,
  ];
}
