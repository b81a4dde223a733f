// Schedules with a clock that the test moves: real workflows, real git, a real store.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import type { Executors } from "../../runtime/parts.ts";
import type { TickRecord } from "../../store/store.ts";
import { Application } from "../application.ts";
import { resume } from "../driving/drive.ts";
import { runs } from "../looking/runs.ts";
import { cancel } from "../steering/steer.ts";
import { install, uninstall } from "../workflows/workflows.ts";
import { addSchedule, pauseSchedule, removeSchedule, resumeSchedule, runSchedule, schedules } from "./schedules.ts";
import { startSchedules } from "./service.ts";

const minute = 60_000;
const executor = "command: sh -c 'cat >/dev/null; echo STATUS: done'";

interface SiteOptions {
  readonly day?: string;
  readonly schedule?: string;
  readonly config?: string;
}

/** A home with the workflow `nightly` and a repository. The clock stands shortly before 03:00 UTC. */
function makeSite({ day = "2026-11-18T02:58:00Z", schedule, config }: SiteOptions = {}) {
  const dir = tempDir("pawl-schedules-");
  const repo = makeRepository(undefined, { dir: join(dir, "repo") });
  mkdirSync(join(dir, "home"), { mode: 0o700 });
  const open = (more = {}) => {
    const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" }, ...more });
    onTestFinished(async () => await app.close());
    return app;
  };
  const app = open();
  const clock = new FakeClock(day);
  const write = (id: string, text = '{ cron: "0 3 * * *", task: Audit }', more = "") => {
    const file = join(dir, `${id}.yml`);
    const steps = "steps: [{ id: look, agent: a, input: '{{task}} {{area}}' }]";
    writeFileSync(file, `pawl: 1\nid: ${id}\nagents: { a: {} }\n${steps}\nschedule: ${text}\n${more}`);
    install(app, file);
  };
  write("nightly", schedule);
  if (config !== undefined) {
    mkdirSync(join(repo, ".pawl"));
    writeFileSync(join(repo, ".pawl", "config.yml"), config);
  }
  const logged: string[] = [];
  const serve = () => {
    const log = (event: string, fields: object) => void logged.push(`${event} ${JSON.stringify(fields)}`);
    const service = startSchedules(app, { clock, log });
    onTestFinished(async () => await service.close());
    return service;
  };
  const records = async (id = "nightly"): Promise<readonly TickRecord[]> =>
    (await app.read()).parts.store.ticks(id, 100);
  /** What became of ticks, the oldest first. */
  const outcomes = async (id = "nightly") =>
    (await records(id))
      .map(({ tick, outcome }) => `${new Date(tick).toISOString().slice(5, 16)} ${outcome}`)
      .toReversed();
  /** Starts take real time, in which little of the clock's passes: the service may have to wake up for what it starts next. */
  const recorded = async (count: number, id = "nightly") =>
    await until(async () => {
      if ((await records(id)).length >= count) return true;
      await clock.pass(100);
      return false;
    });
  const one = async (id = "nightly") => {
    const found = (await schedules(app, clock.now())).schedules.find((each) => each.id === id);
    if (found === undefined) throw new Error(`no schedule ${id}`);
    return found;
  };
  const add = async (workflow = "nightly") => await addSchedule(app, { workflow, repo, executor }, clock.now());
  return { dir, repo, app, open, clock, write, serve, records, outcomes, recorded, one, add, logged };
}

test("[SD10 SD13] at its time a run is recorded, with the task and the keys of the file, and can be driven", async () => {
  const site = makeSite({
    schedule: '{ cron: "0 3 * * *", zone: Europe/London, task: Audit, context: { area: tests } }',
  });
  const added = await site.add();
  expect(added).toMatchObject({ id: "nightly", state: "waiting", next: "2026-11-18T03:00:00.000Z", last: null });
  const service = site.serve();
  await site.clock.pass(minute);
  expect(await site.records()).toEqual([]);
  await site.clock.pass(minute);
  await site.recorded(1);
  await site.clock.pass(10 * minute);
  await service.close();
  expect(await site.outcomes()).toEqual(["11-18T03:00 started"]);
  const [run] = (await runs(site.app)).runs;
  expect(run).toMatchObject({ number: 1, workflow: "nightly", task: "Audit", status: "running", repo: site.repo });
  const whole = await (await site.app.read()).parts.store.wholeRun(run?.id as never);
  expect(whole?.header.context["area"]).toBe("tests");
  const events = await (await site.app.read()).parts.store.events(run?.id as never, 0, 1);
  expect(events[0]?.event.author).toBe("schedule:nightly");
  expect((await resume(site.app, "1", { signal: new AbortController().signal })).end).toBe("done");
  expect(await site.one()).toMatchObject({
    state: "waiting",
    next: "2026-11-19T03:00:00.000Z",
    run: { number: 1, status: "done" },
    last: { tick: "2026-11-18T03:00:00.000Z", outcome: "started", run: { number: 1 } },
  });
});

test("[SD12] while its run is not over, ticks are skipped, with the reason, and runs follow one another", async () => {
  const site = makeSite({ schedule: '{ cron: "* * * * *", task: Audit }' });
  await site.add();
  const service = site.serve();
  await site.clock.pass(minute);
  await site.recorded(1);
  await site.clock.pass(minute);
  await site.recorded(2);
  expect(await site.one()).toMatchObject({
    state: "running",
    why: "run #1 is not over: it runs",
    last: { outcome: "skipped", why: "run #1 is not over: it runs", run: null },
  });
  await expect(runSchedule(site.app, "nightly", site.clock.now())).rejects.toMatchObject({ code: "REFUSED" });
  await cancel(site.app, "1");
  await site.clock.pass(minute);
  await site.recorded(3);
  await service.close();
  expect(await site.outcomes()).toEqual(["11-18T02:59 started", "11-18T03:00 skipped", "11-18T03:01 started"]);
  expect((await runs(site.app)).runs).toHaveLength(2);
});

describe("[SD13] ticks that nothing saw", () => {
  test("once: any number of them is one run, and the next tick is its own", async () => {
    const site = makeSite();
    await site.add();
    site.clock.set("2026-11-21T12:00:00Z");
    const service = site.serve();
    await site.recorded(1);
    await site.clock.pass(5 * minute);
    await service.close();
    expect(await site.records()).toMatchObject([
      { outcome: "started", missed: 3, tick: Date.parse("2026-11-21T03:00Z") },
    ]);
    expect((await runs(site.app)).runs).toHaveLength(1);
    expect(await site.one()).toMatchObject({ next: "2026-11-22T03:00:00.000Z" });
  });

  test("skip: none of them, and the next tick starts a run", async () => {
    const site = makeSite({ schedule: '{ cron: "0 3 * * *", task: Audit, missed: skip }' });
    await site.add();
    const service = site.serve();
    await site.clock.asleep();
    // The machine slept: timers stood still.
    site.clock.set("2026-11-21T02:59:00Z");
    await site.clock.pass(minute);
    await site.recorded(2);
    await service.close();
    expect(await site.outcomes()).toEqual(["11-20T03:00 missed", "11-21T03:00 started"]);
    expect((await site.records())[1]?.missed).toBe(2);
    expect((await runs(site.app)).runs).toHaveLength(1);
  });
});

describe("[SD14] what cannot start says why, and the others go on", () => {
  async function failing(spoil: (site: ReturnType<typeof makeSite>) => void) {
    const site = makeSite();
    site.write("other");
    await site.add();
    await addSchedule(site.app, { workflow: "other", repo: makeRepository(), executor }, site.clock.now());
    spoil(site);
    const service = site.serve();
    await site.clock.pass(2 * minute);
    await Promise.all([site.recorded(1), site.recorded(1, "other")]);
    // It is not tried again before its next time.
    await site.clock.pass(30 * minute);
    await service.close();
    expect(await site.outcomes()).toEqual(["11-18T03:00 failed"]);
    expect(await site.outcomes("other")).toEqual(["11-18T03:00 started"]);
    return { site, why: (await site.records())[0]?.why ?? "", shown: await site.one() };
  }

  test("a workflow that vanished, until it is there again", async () => {
    const { site, why, shown } = await failing(({ app }) => uninstall(app, "nightly"));
    expect(why).toContain('there is no workflow "nightly"');
    expect(shown).toMatchObject({ state: "broken", why: expect.stringContaining("there is no workflow") });
    expect(shown.next).toBe("2026-11-19T03:00:00.000Z");
    site.write("nightly");
    expect((await site.one()).state).toBe("waiting");
  });

  test("a workflow that cannot be loaded any more", async () => {
    const { why, shown } = await failing(({ app }) =>
      writeFileSync(join(app.home.workflows, "nightly", "workflow.yml"), "pawl: 1\nid: [\n"),
    );
    expect(why).toContain("workflow.yml");
    expect(shown.state).toBe("broken");
  });

  test("a workflow without a schedule", async () => {
    const { why, shown } = await failing(({ app }) =>
      writeFileSync(
        join(app.home.workflows, "nightly", "workflow.yml"),
        "pawl: 1\nid: nightly\nagents: { a: {} }\nsteps: [{ id: x, agent: a }]\n",
      ),
    );
    expect(why).toContain("has no schedule");
    expect(shown.state).toBe("broken");
  });

  test("a repository that is gone", async () => {
    const { why, shown } = await failing(({ repo }) => renameSync(repo, `${repo}-elsewhere`));
    expect(why).not.toBe("");
    expect(shown).toMatchObject({ state: "broken", why: expect.stringContaining("is not there") });
  });

  test("commands of the repository that nobody agreed to", async () => {
    const { why } = await failing(({ repo }) => {
      mkdirSync(join(repo, ".pawl"));
      writeFileSync(join(repo, ".pawl", "config.yml"), "project: { test: 'touch owned' }\n");
    });
    expect(why).toContain("that you have not agreed to");
    expect(why).toContain("pawl trust");
  });
});

describe("[SD15] clocks that jump", () => {
  test("set back by hours: no tick comes twice; the next one comes", async () => {
    const site = makeSite();
    await site.add();
    const service = site.serve();
    await site.clock.pass(2 * minute);
    await site.recorded(1);
    await cancel(site.app, "1");
    site.clock.set("2026-11-18T02:30:00Z");
    await site.clock.pass(40 * minute);
    site.clock.set("2026-11-19T02:59:30Z");
    await site.clock.pass(minute);
    await site.recorded(2);
    await service.close();
    expect(await site.outcomes()).toEqual(["11-18T03:00 started", "11-19T03:00 started"]);
  });

  test("a far year by mistake: it heals, and ticks that were started before are not started again", async () => {
    const site = makeSite();
    await site.add();
    const service = site.serve();
    await site.clock.pass(2 * minute);
    await site.recorded(1);
    await cancel(site.app, "1");
    site.clock.set("2036-01-01T02:59:30Z");
    await site.clock.pass(minute);
    await site.recorded(2);
    await cancel(site.app, "2");
    // Right again, to a time before the tick that was started first.
    site.clock.set("2026-11-18T02:50:00Z");
    await site.clock.pass(20 * minute);
    expect((await site.one()).next).toBe("2026-11-19T03:00:00.000Z");
    site.clock.set("2026-11-19T02:59:30Z");
    await site.clock.pass(minute);
    await site.recorded(3);
    await service.close();
    expect((await site.outcomes()).filter((each) => each.startsWith("11-"))).toEqual([
      "11-18T03:00 started",
      "11-19T03:00 started",
    ]);
    expect((await runs(site.app)).runs).toHaveLength(3);
    expect(site.logged.filter((line) => line.startsWith("schedule.clock_was_ahead"))).toHaveLength(1);
  });

  test("two services whose clocks differ by hours start each tick once", async () => {
    const site = makeSite();
    await site.add();
    const ahead = new FakeClock("2026-11-18T07:58:00Z");
    const early = startSchedules(site.open(), { clock: ahead });
    onTestFinished(async () => await early.close());
    await until(async () => (await site.records()).length > 0);
    await cancel(site.app, "1");
    const service = site.serve();
    await Promise.all([site.clock.pass(5 * minute), ahead.pass(5 * minute)]);
    await Promise.all([service.close(), early.close()]);
    expect(await site.outcomes()).toEqual(["11-18T03:00 started"]);
  });
});

test("[SD16] a file that is installed again counts at once; new times are due from then on", async () => {
  const site = makeSite();
  await site.add();
  site.clock.set("2026-11-18T12:00:30Z");
  site.write("nightly", '{ cron: "0 * * * *", task: Other }');
  const service = site.serve();
  // 09:00 to 12:00 were no times of the schedule when they passed.
  await site.clock.pass(59 * minute);
  expect(await site.records()).toEqual([]);
  await site.clock.pass(minute);
  await site.recorded(1);
  await service.close();
  expect(await site.outcomes()).toEqual(["11-18T13:00 started"]);
  expect((await runs(site.app)).runs[0]?.task).toBe("Other");
});

test("[SD7] while it is paused nothing starts and nothing is missed; resumed, its next time counts", async () => {
  const site = makeSite();
  await site.add();
  expect(await pauseSchedule(site.app, "nightly", site.clock.now())).toMatchObject({ state: "paused", next: null });
  const service = site.serve();
  await site.clock.pass(5 * minute);
  expect(await resumeSchedule(site.app, "nightly", site.clock.now())).toMatchObject({
    state: "waiting",
    next: "2026-11-19T03:00:00.000Z",
  });
  await site.clock.pass(5 * minute);
  site.clock.set("2026-11-19T02:59:30Z");
  await site.clock.pass(minute);
  await site.recorded(1);
  await service.close();
  expect(await site.outcomes()).toEqual(["11-19T03:00 started"]);
  expect(await removeSchedule(site.app, "nightly")).toEqual({ id: "nightly" });
  expect((await schedules(site.app)).schedules).toEqual([]);
  expect(await site.records()).toEqual([]);
  expect((await runs(site.app)).runs).toHaveLength(1);
  await expect(pauseSchedule(site.app, "nightly")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("[SD8] a run that a person asks for counts as the one run, and leaves the ticks as they are", async () => {
  const site = makeSite();
  await site.add();
  await pauseSchedule(site.app, "nightly", site.clock.now());
  await runSchedule(site.app, "nightly", site.clock.now());
  await resumeSchedule(site.app, "nightly", site.clock.now());
  expect(await site.records()).toMatchObject([{ outcome: "started", askedBy: site.app.author, run: { number: 1 } }]);
  const service = site.serve();
  await site.clock.pass(2 * minute);
  await site.recorded(2);
  await service.close();
  expect(await site.outcomes()).toEqual(["11-18T02:58 started", "11-18T03:00 skipped"]);
});

describe("[SD5] a schedule is added only where a run could start", () => {
  test("a path, a workflow without a schedule, no repository, no executor, twice", async () => {
    const site = makeSite();
    const request = { workflow: "nightly", repo: site.repo, executor };
    const refused = async (change: Partial<typeof request>) => {
      const { executor: given, ...rest } = { ...request, ...change };
      const error = await addSchedule(site.app, given === "" ? rest : { ...rest, executor: given }).catch(
        (thrown: unknown) => thrown,
      );
      return (error as { code?: string }).code;
    };
    expect(await refused({ workflow: "./nightly.yml" })).toBe("NOT_FOUND");
    expect(await refused({ workflow: "nowhere" })).toBe("NOT_FOUND");
    expect(await refused({ workflow: "feature-dev" })).toBe("WORKFLOW_INVALID");
    expect(await refused({ repo: site.dir })).toBe("REPOSITORY_UNUSABLE");
    expect(await refused({ executor: "" })).toBe("EXECUTOR_MISSING");
    expect(await refused({ executor: "command: no-such-program-anywhere" })).toBe("EXECUTOR_MISSING");
    expect((await schedules(site.app)).schedules).toEqual([]);
    expect(await refused({})).toBeUndefined();
    expect(await refused({})).toBe("REFUSED");
    const second = await addSchedule(site.app, { ...request, repo: makeRepository() });
    expect(second.id).toBe("nightly-2");
  });

  test("commands of the repository that nobody agreed to", async () => {
    const site = makeSite({ config: "project: { test: 'true' }\n" });
    await expect(site.add()).rejects.toMatchObject({ code: "UNTRUSTED" });
    expect((await schedules(site.app)).schedules).toEqual([]);
  });
});

test("[SD17] a schedule that is added while the service runs is seen; a store that fails is tried again; a start is waited for", async () => {
  const site = makeSite();
  // A configuration that could never be read keeps it from the store.
  const config = join(site.dir, "home", "config.yml");
  writeFileSync(config, "nonsense: [\n");
  const service = site.serve();
  await site.clock.asleep();
  expect(site.logged.some((line) => line.startsWith("schedules.failed"))).toBe(true);
  rmSync(config);
  await site.add();
  await site.clock.pass(2 * minute);
  await service.close();
  expect(await site.outcomes()).toEqual(["11-18T03:00 started"]);
});

test("[SD17] starts that hang hold up no other schedule; of five that are due at once, the fifth is next", async () => {
  const site = makeSite();
  const release = Promise.withResolvers<void>();
  let asked = 0;
  const app = site.open({
    executors: (configured: Executors): Executors => ({
      ...configured,
      get: async (name) => {
        asked += 1;
        if (name !== "pull") await release.promise;
        return await configured.get(name);
      },
    }),
  });
  for (const id of ["a", "b", "c", "d", "nightly"]) {
    site.write(id, id === "d" ? '{ cron: "59 2 * * *", task: Audit }' : undefined);
    await site.add(id);
  }
  const service = startSchedules(app, { clock: site.clock });
  onTestFinished(async () => await service.close());
  await site.clock.pass(minute);
  await until(() => asked === 1);
  // `d` hangs; the others are due a minute later, and three of them start.
  await site.clock.pass(5 * minute);
  await until(() => asked === 4);
  await site.clock.pass(5 * minute);
  expect(asked).toBe(4);
  release.resolve();
  for (const id of ["a", "b", "c", "d", "nightly"]) await site.recorded(1, id);
  await service.close();
  expect(asked).toBe(5);
  expect((await runs(site.app)).runs).toHaveLength(5);
});
