// What happens to the machine and the terminal rather than to Pawl: a driver stands still for longer than its lease, the clock jumps,
// the terminal closes.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { queryFile } from "../support/database.ts";
import { checkScene } from "./checks.ts";
import { Driver, type Moment, Spectator } from "./driver.ts";
import { makeScene, type Scene } from "./scene.ts";

const jumpingClock = new URL("jumping-clock.ts", import.meta.url).href;
const hourMs = 3_600_000;

/** Longer than any lease. */
const frozenMs = 120_000;

test("[AT18 CL2 CL4 RC20 CM29] a frozen driver, a clock that jumps and a closed terminal: nothing is lost or done twice", async () => {
  const scene = makeScene();
  const spectator = new Spectator(scene);
  const clock = new SceneClock(scene);
  const start = (args: readonly string[]) => new Driver(scene, args, clock.env);
  const executor = ["--executor", `command: sh ${scene.act} ${scene.dir}`];
  const runOf = (task: string) => start(["run", scene.workflow, task, "--repo", scene.repo, ...executor]);

  const frozen = runOf("frozen");
  const look = () => spectator.run("frozen");
  await frozen.reach(inTheWork, look);
  await frozen.freeze(500, () => clock.pass(frozenMs));
  expect(frozen.isOver).toBe(false);
  await frozen.reach(soon, look);
  clock.jump(hourMs);
  await frozen.reach(soon, look);
  clock.jump(-2 * hourMs);
  expect(await frozen.end()).toMatchObject({ code: 0, hung: false });

  const hungUp = runOf("hung up");
  await hungUp.reach(inTheWork, () => spectator.run("hung up"));
  expect(await hungUp.hangUp()).toMatchObject({ code: 130, hung: false });
  const row = spectator.run("hung up");
  expect(row).toMatchObject({ status: "running" });
  expect(await spectator.processes(row?.id ?? "")).toStrictEqual([]);
  clock.jump(-hourMs);
  expect(await start(["resume", String(row?.number)]).end()).toMatchObject({ code: 0, hung: false });

  spectator.close();
  const inOrder = "select at from events join runs on runs.id = run_id order by runs.number, seq";
  const times = queryFile(scene.storeFile, inOrder).map(({ at }) => Number(at));
  const jumps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  // The time of day jumps from one driver to the next, never while one lives.
  expect(Math.max(...jumps)).toBeLessThan(hourMs / 2);
  expect(jumps.filter((ms) => ms < -hourMs / 2)).toHaveLength(2);
  // On a violation the directory is kept.
  expect({ ...(await checkScene(scene)), kept: scene.dir }).toMatchObject({ violations: [], runs: 2, lost: 0 });
  rmSync(scene.dir, { recursive: true, force: true });
});

const inTheWork: Moment = { kind: "work", changes: 1, afterMs: 0 };
const soon: Moment = { kind: "commit", events: 3, afterMs: 0 };

/** The clock of all processes of a scene. */
class SceneClock {
  readonly env: NodeJS.ProcessEnv;
  readonly #file: string;
  #day = 0;
  #steady = 0;

  constructor(scene: Scene) {
    this.#file = join(scene.dir, "clock");
    this.env = { NODE_OPTIONS: `--import=${jumpingClock}`, PAWL_CHAOS_CLOCK: this.#file };
    writeFileSync(this.#file, "0 0".padEnd(64));
  }

  /** Someone sets the time of day. */
  jump(ms: number): void {
    this.#day += ms;
    // One write of a few bytes: no process reads half of it.
    writeFileSync(this.#file, `${this.#day} ${this.#steady}`.padEnd(64), { flag: "r+" });
  }

  /** Time passes. */
  pass(ms: number): void {
    this.#steady += ms;
    this.jump(ms);
  }
}
