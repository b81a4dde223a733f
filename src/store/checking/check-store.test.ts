import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { queryFile } from "../../../test/support/database.ts";
import { fillStore } from "../../../test/support/full-store.ts";
import { freshFile } from "../../../test/support/programs.ts";
import { systemClock } from "../../system/clock.ts";
import { openSqliteStore } from "../sqlite/open.ts";

async function filled(walks = 1) {
  const file = freshFile("pawl.db");
  const store = await openSqliteStore(file, systemClock);
  onTestFinished(() => store.close());
  const run = await fillStore(store, walks);
  const { number } = (await store.runById(run)) ?? { number: 0 };
  return { file, store, run: { id: run, number }, check: () => store.check(() => undefined) };
}

test("[SO86] runs after any walk are what their logs say, and how far the check is can be seen", async () => {
  const { store } = await filled(8);
  const seen: unknown[] = [];
  const found = await store.check((progress) => seen.push(progress));
  expect(found).toMatchObject({ runs: 10, problems: [] });
  expect(found.events).toBeGreaterThan(200);
  expect(seen).toHaveLength(10);
  expect(seen[3]).toEqual({ stage: "checking runs", done: 3, of: 10 });
});

/** What is changed behind the store, and the field that is named. `$R`: the run that waits at a gate. */
const changes: readonly (readonly [change: string, field: RegExp])[] = [
  ["update runs set header = json_set(header, '$.paused', json('true')) where id = $R", /^header\.paused$/],
  ["update runs set status = 'done' where id = $R", /^row\.status$/],
  ["update runs set workflow = 'x' where id = $R", /^row\.workflow$/],
  ["update runs set ended_at = 5 where id = $R", /^row\.ended_at$/],
  ["update runs set header = 'x' where id = $R", /^rows$/],
  ["update totals set cost_usd = cost_usd + 0.01 where run_id = $R", /^header\.totals\.costUsd$/],
  ["update totals set events = events + 1 where run_id = $R", /^row\.events$/],
  ["delete from totals where run_id = $R", /^rows$/],
  ["update attempts set phase = 'started' where run_id = $R", /^attemptRows\..+\.phase$/],
  ["update attempts set body = json_set(body, '$.host', 'x') where run_id = $R", /^header\.attempts\[0\]\.host$/],
  ["delete from attempts where run_id = $R", /^header\.attempts/],
  ["update gates set status = 'answered' where run_id = $R", /^gates\..+\.status$/],
  ["update gates set body = json_set(body, '$.question', 'x') where run_id = $R", /^gates\..+\.gate\.question$/],
  ["update gates set body = 'x' where run_id = $R", /^rows$/],
  ["delete from gates where run_id = $R", /^gates\./],
  ["insert into ready select $R, '', 'work', '', 'a/b', 0, 0, 1, null", /^offers\[0\]$/],
  ["delete from events where run_id = $R and seq = 2", /^log$/],
  ["update events set body = 'x' where run_id = $R and seq = 3", /^event 3$/],
  ["update events set body = '[]' where run_id = $R and seq = 1", /^event 1$/],
  ["update events set type = 'nonsense' where run_id = $R and seq = 4", /^event 4$/],
];

test.each(changes)("[SO86] the run and the field are named after `%s`", async (change, field) => {
  const { file, run, check } = await filled();
  queryFile(file, change.replaceAll("$R", `'${run.id}'`));
  const { problems } = await check();
  expect(problems[0]).toMatchObject({
    run,
    field: expect.stringMatching(field),
    what: expect.any(String),
  });
  expect(new Set(problems.map((problem) => problem.run?.id))).toEqual(new Set([run.id]));
});

test("[SO86] of stories the entry, the scope, the plan and the row are compared", async () => {
  for (const [change, field] of [
    ["spec = json_set(spec, '$.title', 'x')", /^storyRows\.S-\d+\.spec\.title$/],
    ["status = 'nowhere'", /^storyRows\.S-\d+\.status$/],
    ["entry = json_set(entry, '$.openDependencies', 9)", /^header\.stories\[\d+\]\.openDependencies$/],
    ["scope = json_set(scope, '$.context', json('{\"x\":\"y\"}'))", /^stories\.S-\d+\.context\.x$/],
  ] as const) {
    const { file, check } = await filled(3);
    expect(queryFile(file, `update stories set ${change} where scope is not null returning id`)).not.toEqual([]);
    expect((await check()).problems[0]?.field).toMatch(field);
  }
});

test("[SO86] no token of an attempt is shown", async () => {
  const { file, run, check } = await filled();
  const body = "json_set(body, '$.token', 'the other secret')";
  queryFile(file, `update attempts set body = ${body} where run_id = '${run.id}'`);
  const { problems } = await check();
  expect(problems).toMatchObject([{ field: "header.attempts[0].token" }]);
  expect(JSON.stringify(problems)).not.toContain("secret");
});

test("[SO86] a damaged file, and rows that refer to nothing, are problems of the database", async () => {
  const { file, check, store } = await filled();
  const careless = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  careless.exec("insert into totals select 'no run', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0");
  careless.close();
  expect((await check()).problems).toEqual([
    { run: null, field: "database", what: expect.stringMatching(/^totals row \d+ refers to a missing row of runs$/) },
  ]);
  await store.close();
  // The last page of an index or a table.
  const bytes = readFileSync(file);
  bytes.fill(0x55, bytes.length - 4096);
  writeFileSync(file, bytes);
  const damaged = await openSqliteStore(file, systemClock);
  onTestFinished(() => damaged.close());
  const { problems } = await damaged.check(() => undefined);
  expect(problems.filter(({ field }) => field === "database").length).toBeGreaterThan(1);
});
