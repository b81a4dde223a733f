import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runGit } from "../../../test/support/repository.ts";
import { toy, toyWorkflow } from "../../../test/support/toy-protocol.ts";
import { makeToyWorld, type ToyWorld } from "../../../test/support/toy-world.ts";
import type { Attempt } from "../../domain/attempt.ts";
import type { RunId } from "../../domain/ids.ts";
import type { Protocol } from "../../protocols/protocol.ts";
import { completePulledStep, pullStep } from "../loop/pull.ts";
import { openProject } from "./open-project.ts";

const read = (...path: string[]) => readFileSync(join(...path), "utf8");

describe("a protocol that nothing else knows", () => {
  test("[PO4 PO13] prepares files, gives keys and variables, takes edits, keeps logs, shows the run, and commits none of it", async () => {
    const { world, folder, logged, begin, drive } = await makeToyWorld(toy);
    const run = await begin();
    expect(await drive(run)).toBe("done");

    expect(read(folder, "seen")).toBe("make: order make 1\n");
    expect(read(world.home.logs, run, "one-make-1.prompt.md")).toContain("Order: make 1");
    const { chain } = (await world.run(run)).stories["one" as never] ?? { chain: [] };
    expect(chain.map(({ id, state }) => `${id} ${state.status}`)).toEqual(["make done", "polish skipped", "land done"]);
    expect(read(folder, "one-make-1.log")).toContain("STATUS: done");
    expect(readdirSync(join(folder, "settled"))).toHaveLength(2);
    expect(read(folder, "status.txt")).toMatch(/^done\n/);
    expect(readdirSync(folder).filter((name) => name.startsWith("told-"))).toHaveLength(1);
    expect(logged.filter((event) => event.includes("started"))).toEqual(["toy_started", "toy_started"]);

    expect(runGit(world.repo, "ls-tree", "--name-only", "main")).toBe("README.md\nwork.txt");
    expect(runGit(world.repo, "status", "--porcelain")).toBe("");
  });

  test("[PO2] a run of it is not driven by a Pawl that does not have it, and nothing about it changes", async () => {
    const { world, begin, drive } = await makeToyWorld(toy);
    const run = await begin();
    const before = await world.events(run);
    await expect(world.drive(run)).rejects.toMatchObject({
      code: "PROTOCOL_MISSING",
      message: 'there is no protocol "toy"',
      hint: expect.stringContaining("this Pawl has: agentic, antfarm, lifecycle, ralph"),
    });
    expect(await world.events(run)).toEqual(before);
    const other = await world.begin();
    expect(await world.drive(other)).toBe("done");
    expect(await drive(run)).toBe("done");
  });
});

/** The toy, where one function throws until it is mended. */
function broken(act: keyof typeof toy): { protocol: Protocol; mend: () => void } {
  let isBroken = true;
  const own = toy[act] as (...args: unknown[]) => unknown;
  const throwing = (...args: unknown[]) => {
    if (isBroken) throw new Error("boom");
    return own(...args);
  };
  return {
    protocol: { ...toy, [act]: throwing },
    mend: () => {
      isBroken = false;
    },
  };
}

const failures = async ({ world }: ToyWorld, run: RunId) =>
  (await world.attempts(run)).flatMap(({ state }: Attempt) =>
    state.phase === "ended" && state.outcome === "failed" ? [state.why] : [],
  );

test("[PO7] a shared folder that a person named stays after the run, also one beside those of Pawl", async () => {
  const toys = await makeToyWorld(toy);
  const mine = join(toys.world.home.dir, "shared-by-me");
  expect(await toys.drive(await toys.begin("given", mine))).toBe("done");
  expect(existsSync(mine)).toBe(true);
});

describe("a protocol that throws", () => {
  test.each(["excludes", "begin"] as const)(
    "[PO8] in `%s`: the run is not started, and nothing is recorded",
    async (act) => {
      const { protocol, mend } = broken(act);
      const toys = await makeToyWorld(protocol);
      await expect(toys.begin()).rejects.toMatchObject({
        code: "PROTOCOL_FAILED",
        message: expect.stringMatching(/^protocol toy could not .*: boom$/),
      });
      expect(await toys.parts.store.listRuns({ statuses: null, limit: 9 })).toEqual([]);
      mend();
      expect(await toys.drive(await toys.begin())).toBe("done");
    },
  );

  test("[PO8] in `storiesFor` or `open`: the error has its name and the reason", async () => {
    const { parts } = await makeToyWorld(broken("open").protocol);
    const project = { file: "list", path: "/list", only: [], folder: "/nowhere", repo: "/nowhere" };
    const read = () => "a\nb\n";
    await expect(openProject(parts, "toy", project, read)).rejects.toMatchObject({
      code: "PROTOCOL_FAILED",
      message: "protocol toy could not open the project: boom",
    });
    const { parts: whole } = await makeToyWorld(toy);
    expect(await openProject(whole, "toy", project, read)).toMatchObject({
      kind: "start",
      stories: [{ id: "a" }, { id: "b" }],
    });
    const { protocol, mend } = broken("storiesFor");
    const planned = await makeToyWorld(protocol);
    await expect(planned.begin("planned")).rejects.toThrow("protocol toy could not plan its stories: boom");
    mend();
    const run = await planned.begin("planned");
    expect(await planned.drive(run)).toBe("done");
    // Nobody gave the run a folder: the one in Pawl's home is removed with it.
    expect(existsSync(join(planned.world.home.dir, "shared", run))).toBe(false);
  });

  test("[PO9] in `logFile`, of an agent that pulls: the attempt fails with its name and the reason when it is reported", async () => {
    const toys = await makeToyWorld(broken("logFile").protocol);
    const run = await toys.begin();
    const pulled = await pullStep(toys.parts, "toy-work/worker", null);
    const decision = await completePulledStep(toys.parts, pulled?.handle ?? "", null, "STATUS: done");
    expect(decision.accepted).toBe(true);
    expect(await failures(toys, run)).toEqual([expect.stringMatching(/protocol toy could not .*: boom/)]);
  });

  test.each(["values", "environment", "writable", "prepare", "collect", "logFile", "ownFiles"] as const)(
    "[PO9] in `%s`: the attempt fails with its name and the reason; once it is mended the run continues, and other runs are not touched",
    async (act) => {
      const { protocol, mend } = broken(act);
      const toys = await makeToyWorld(protocol);
      const [run, other] = [await toys.begin(), await toys.world.begin("another", toys.parts)];
      const [status, otherStatus] = await Promise.all([toys.drive(run), toys.drive(other)]);
      expect([status, otherStatus]).toEqual(["failed", "done"]);
      const whys = await failures(toys, run);
      expect(whys.length).toBeGreaterThan(0);
      for (const why of whys) expect(why).toMatch(/protocol toy could not .*: boom/);
      mend();
      const retried = await toys.retry(run);
      const more = (await failures(toys, run)).slice(whys.length);
      expect({ retried, more }).toEqual({ retried: "done", more: [] });
      expect(runGit(toys.world.repo, "show", "main:work.txt")).toContain("work make");
    },
  );

  test.each(["settled", "project"] as const)(
    "[PO10] in `%s`: the run is done all the same, and people are told",
    async (act) => {
      const toys = await makeToyWorld(broken(act).protocol);
      expect(await toys.drive(await toys.begin())).toBe("done");
      expect(toys.warnings.join("\n")).toMatch(/protocol toy.*boom/);
    },
  );

  test.each(["follow", "writeEntry", "files"] as const)(
    "[PO10] in `%s` of what it shows: the run is done all the same, and people are told",
    async (act) => {
      const fail = () => {
        throw new Error("boom");
      };
      const toys = await makeToyWorld({ ...toy, project: (run) => ({ ...toy.project(run), [act]: fail }) });
      expect(await toys.drive(await toys.begin())).toBe("done");
      expect(toys.warnings).toEqual([`protocol toy: the files in ${toys.folder} could not be written: boom`]);
    },
  );

  test("[PO11] in `diffFile`: work that is rolled back is kept in Pawl's home", async () => {
    const crash = `echo half > half.txt; exit 3`;
    const workflow = `${toyWorkflow}workspace: { on_failure: reset }\n`;
    const toys = await makeToyWorld(broken("diffFile").protocol, { agent: crash, workflow });
    const run = await toys.begin();
    expect(await toys.drive(run)).toBe("failed");
    const kept = join(toys.world.home.salvage, run);
    expect(existsSync(kept)).toBe(true);
    expect(readdirSync(kept).length).toBeGreaterThan(0);
    expect(toys.logged).toContain("protocol.failed");
  });
});
