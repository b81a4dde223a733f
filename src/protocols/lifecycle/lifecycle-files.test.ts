// The files of a session around real attempts: before a skill starts, while it runs, and after it has ended.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeLifecycleWorld } from "../../../test/support/lifecycle-world.ts";
import { until } from "../../../test/support/until.ts";
import { packageFile } from "../../system/package-root.ts";
import { sha256Of } from "../../system/sha256.ts";
import { describeProtocol } from "../protocol.contract.ts";
import { lifecycle } from "./lifecycle.ts";
import { lifecycleFiles } from "./lifecycle-files.ts";
import { stepIn } from "./session/shown-steps.ts";
import { readCsv } from "./waves/csv.ts";

describeProtocol(lifecycle, readFileSync(packageFile("workflows/lifecycle/workflow.yml"), "utf8"));

const rowsOf = (text: string | null) => {
  const read = readCsv(text ?? "");
  return read.kind === "rows" ? read.rows.map(({ fields }) => fields) : [];
};

describe("the waves of a session", () => {
  test("[LS13 LS14 E13 E50 E51 E53 E55] each skill finds its row before it begins; its result, the session and its context follow", async () => {
    const { begin, drive, performed, status, session } = await makeLifecycleWorld();
    expect(await drive(await begin())).toBe("held");
    const calls = performed();
    expect(calls.map(({ stage }) => stage)).toEqual(["analyze", "plan", "execute", "verify"]);
    expect(calls.map(({ csv }) => rowsOf(csv)[1])).toEqual([
      ["1", '$maestro-ralph-execute "$maestro-analyze 1"', "Ralph step 1/15: analyze phase 1"],
      ["2", '$maestro-ralph-execute "$maestro-plan 1"', "Ralph step 2/15: plan phase 1"],
      ["3", '$maestro-ralph-execute "$maestro-execute 1"', "Ralph step 3/15: execute phase 1"],
      ["4", '$maestro-ralph-execute "$maestro-verify 1"', "Ralph step 4/15: verify phase 1"],
    ]);
    expect(calls[3]?.call).toMatchObject({
      csv_path: session.wave(4),
      id_column: "id",
      instruction: expect.stringContaining("Do not change files below .workflow/.ralph/"),
      max_workers: 1,
      max_runtime_seconds: 3_600,
      output_csv_path: session.results(4),
      output_schema: { required: ["status", "skill_call", "summary", "artifacts", "error"] },
    });
    expect(rowsOf(readFileSync(session.results(2), "utf8"))).toEqual([
      ["id", "status", "skill_call", "summary", "artifacts", "error"],
      [
        "2",
        "completed",
        '$maestro-ralph-execute "$maestro-plan 1"',
        "plan went well",
        ".workflow/scratch/20260503-plan-P1-shop",
        "",
      ],
    ]);
    expect(status()).toMatchObject({
      id: "ralph-20260506-131226",
      intent: 'a "shop", with tea',
      status: "running",
      phase: 1,
      milestone: "M1",
      current_step: 4,
      context: {
        analysis_dir: ".workflow/scratch/20260503-analyze-P1-shop",
        gaps: ["no cart", "no till"],
        plan_dir: ".workflow/scratch/20260503-plan-P1-shop",
        task_count: 3,
        exec_status: "1 of 2 completed",
      },
    });
    expect(status().waves.map(({ n, status: word }) => [n, word])).toEqual([
      [1, "completed"],
      [2, "completed"],
      [3, "completed"],
      [4, "completed"],
    ]);
  });

  test("[LS12 LS13 E52] a spawner that writes the results has reported, whatever it printed", async () => {
    const { begin, drive, answer, does, status, session } = await makeLifecycleWorld();
    does(
      "analyze",
      'results("id,status,skill_call,summary,artifacts,error\\n1,completed,x,looked around,a/b,\\n"); say("STATUS: retry");',
    );
    does("plan", 'results("id,status,skill_call,summary,artifacts,error\\n2,failed,x,,,no idea\\n");');
    const run = await begin();
    expect(await drive(run)).toBe("held");
    const { steps, status: word, pawl } = status();
    expect(steps[0]).toMatchObject({ status: "completed", summary: "looked around", artifacts: "a/b" });
    expect(steps[1]).toMatchObject({ status: "failed", error: "no idea", wave: 2 });
    expect([word, pawl.status]).toEqual(["paused", "held"]);
    does("plan", 'results("id,status\\n7,completed\\n");');
    await answer(run, "again");
    await drive(run);
    expect(status().steps[1]).toMatchObject({
      status: "failed",
      error: "the results have no row for 2, but 1 for others",
      wave: 3,
    });
    // A file without a row says that its program did not come to an end, whatever was printed.
    const empty = ["", "id,status,skill_call,summary,artifacts,error\\n", "2,failed,x,sum,art,no\\n", "{}"];
    for (const text of empty) {
      does("plan", `results("${text}");`);
      await answer(run, "again");
      await drive(run);
      expect({ text, ...status().steps[1] }).toMatchObject({ text, status: "failed" });
    }
    does("plan", "");
    await answer(run, "again");
    await drive(run);
    expect(status().steps[1]).toMatchObject({ status: "completed", wave: 8 });
    expect(readFileSync(session.results(2), "utf8")).toContain("2,failed,x,,,no idea");
  });

  test("[LS13 E52] results that were there before the wave began are not its report", async () => {
    const { begin, drive, does, status, session } = await makeLifecycleWorld();
    does("analyze", 'fs.writeFileSync(session + "/wave-2-results.csv", "id,status\\n2,completed\\n");');
    does("plan", 'say("STATUS: failed");');
    await drive(await begin());
    expect(status()).toMatchObject({ status: "paused", current_step: 1 });
    expect(rowsOf(readFileSync(session.results(2), "utf8"))[1]?.slice(0, 2)).toEqual(["2", "failed"]);
  });

  test("[LS12 LS18] results that are too long to be recorded stay as the spawner wrote them", async () => {
    const { begin, drive, does, status, session, warnings } = await makeLifecycleWorld([
      { type: "execute", milestone: "M1", phase: 1, status: "completed", path: "a" },
    ]);
    does("verify", 'results("id,status,summary\\n1,completed," + "long ".repeat(50_000) + "\\n");');
    await drive(await begin());
    expect(status().steps[0]).toMatchObject({ status: "completed" });
    expect(status().steps[0]?.summary?.length).toBe(4_000);
    expect(readFileSync(session.results(1), "utf8").length).toBeGreaterThan(200_000);
    expect(warnings).toEqual([]);
  });

  test("[LS18 E59 E78] what a sub-agent changes in the session is undone and said, and its report counts all the same", async () => {
    const { begin, drive, does, status, session, warnings, world } = await makeLifecycleWorld();
    does(
      "plan",
      `const file = session + "/status.json";
       const status = JSON.parse(fs.readFileSync(file, "utf8"));
       status.status = "completed";
       for (const wave of status.waves) wave.n = 7;
       fs.writeFileSync(file, JSON.stringify(status));
       fs.writeFileSync(session + "/wave-1.csv", "mine");
       fs.writeFileSync(env.LIFECYCLE_WAVE_CSV, "mine, too");
       fs.rmSync(session + "/wave-1-results.csv");`,
    );
    const run = await begin();
    await drive(run);
    expect(status()).toMatchObject({ status: "running", current_step: 4 });
    expect(status().waves.map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    expect(readFileSync(session.wave(1), "utf8")).toContain("maestro-analyze 1");
    expect(readFileSync(session.wave(2), "utf8")).toContain("maestro-plan 1");
    expect(readFileSync(session.results(1), "utf8")).toContain("analyze went well");
    const refused = (await world.events(run)).filter(({ type }) => type === "file_change_refused");
    expect(refused.map((event) => "file" in event && event.file)).toEqual(["status.json", "wave-1.csv", "wave-2.csv"]);
    expect(warnings).toEqual(refused.map((event) => "why" in event && event.why));
    expect(warnings[0]).toBe(
      "status.json was changed by another program; Pawl restores it: only Pawl writes the files of a session",
    );
  });

  test.each([
    ["the folder of the session", "session"],
    ["the folder of all sessions", "session.replace(/.[^/]+$/, '')"],
  ])(
    "[LS24] a link in the place of %s is not followed: the skill has failed, with why, and the session continues",
    async (_what, place) => {
      const { begin, drive, does, answer, performed, warnings, world } = await makeLifecycleWorld();
      const elsewhere = join(world.dir, "elsewhere");
      does(
        "analyze",
        `const place = ${place};
       if (fs.existsSync(${JSON.stringify(elsewhere)})) return;
       fs.mkdirSync(${JSON.stringify(elsewhere)});
       fs.renameSync(place, place + "-before");
       fs.symlinkSync(${JSON.stringify(elsewhere)}, place);`,
      );
      const run = await begin();
      expect(await drive(run)).toBe("held");
      const why = "a link in the place of a directory: Pawl writes and reads nothing there";
      const ends = (await world.events(run)).filter(({ type }) => type === "attempt_ended");
      expect(ends.at(-1)).toMatchObject({ why: expect.stringContaining(why) });
      await answer(run, "again");
      expect(await drive(run)).toBe("held");
      expect(performed().map(({ stage }) => stage)).toEqual(["analyze", "analyze", "plan", "execute", "verify"]);
      expect(readdirSync(elsewhere)).toEqual([]);
      expect(warnings.join("\n")).toContain(why);
    },
  );

  test("[LS18] a file that Pawl writes itself is never taken for a change, by whichever process it was written", async () => {
    const { begin, drive, does, answer, session, warnings, world, parts } = await makeLifecycleWorld();
    does("analyze", 'say("STATUS: retry");');
    const run = await begin();
    await drive(run);
    const other = await world.open();
    for (let round = 0; round < 3; round += 1) {
      await answer(run, "again");
      await other.projections.show(run);
      await drive(run);
      await other.projections.show(run);
    }
    expect((await world.events(run)).filter(({ type }) => type.startsWith("file_change"))).toEqual([]);
    expect(warnings).toEqual([]);
    // A process that was killed between the hash and the file: the file is still the one before.
    const now = sha256Of(readFileSync(session.status, "utf8"));
    const hashes: unknown = JSON.parse(readFileSync(session.written, "utf8"));
    expect(hashes).toEqual([expect.not.stringContaining(now), now]);
    writeFileSync(session.written, JSON.stringify([now, sha256Of("the next one")]));
    await parts.projections.show(run);
    expect(warnings).toEqual([]);
    rmSync(session.status);
    await parts.projections.show(run);
    expect(existsSync(session.status)).toBe(true);
    expect(warnings).toEqual([
      "status.json was removed; Pawl writes it again: only Pawl writes the files of a session",
    ]);
  });

  test("[LS19] a program that is awaited reports in the results of its wave", async () => {
    const { begin, drive, status, session } = await makeLifecycleWorld([
      { type: "execute", milestone: "M1", phase: 1, status: "completed", path: "a" },
    ]);
    const run = await begin({ executor: "await" });
    const driving = drive(run);
    await until(() => existsSync(session.wave(1)));
    const [, row] = rowsOf(readFileSync(session.wave(1), "utf8"));
    expect(row?.[1]).toBe('$maestro-ralph-execute "$maestro-verify 1"');
    writeFileSync(session.results(1), `id,status,summary\n${row?.[0]},completed,all there\n`);
    expect(await driving).toBe("held");
    expect(status().steps[0]).toMatchObject({ stage: "verify", status: "completed", summary: "all there" });
  });

  test("[LS13] the session's folder has its files and nothing else", async () => {
    const { begin, drive, session } = await makeLifecycleWorld([
      { type: "execute", milestone: "M1", phase: 1, status: "completed", path: "a" },
    ]);
    await drive(await begin());
    expect(readdirSync(session.dir).toSorted()).toEqual([
      ".pawl.json",
      ".pawl.status.json",
      "status.json",
      "wave-1-results.csv",
      "wave-1.csv",
    ]);
    expect(readdirSync(join(session.dir, ".."))).toEqual(["ralph-20260506-131226"]);
  });
});

describe("a wave whose driver died", () => {
  test("[LS13 E71] another process finds its row and its results in the files of the session", async () => {
    const { begin, drive, session, world } = await makeLifecycleWorld();
    const run = await begin();
    await drive(run);
    const { header, stories } = await world.run(run);
    const [attempt] = Object.values(stories)[0]?.attempts.filter(({ name }) => name === "plan") ?? [];
    const definition = attempt && stepIn(header.definition, attempt.story, attempt.name);
    if (attempt === undefined || definition?.kind !== "agent") throw new Error("plan was not performed");
    const work = { run: { header, stories }, attempt, definition };
    writeFileSync(session.results(2), "id,status,summary\n2,completed,found again\n");
    const told = { isOthers: false, told: () => ({ text: "", written: "" }) };
    expect(await lifecycleFiles.arrived(work, world.repo, told)).toBe(true);
    expect(await lifecycleFiles.collect(work, world.repo, told)).toMatchObject({
      facts: { wave: { number: 2, position: 2, call: "maestro-plan 1", csv: readFileSync(session.wave(2), "utf8") } },
      told: { verdict: { kind: "passed" }, summary: "found again" },
    });
    writeFileSync(session.wave(2), "not any more");
    expect(await lifecycleFiles.collect(work, world.repo, told)).toEqual({ facts: { context: expect.anything() } });
    writeFileSync(session.status, "{");
    expect(await lifecycleFiles.arrived(work, world.repo, told)).toBe(false);
  });

  test("[LS9 E71] has failed, and the next attempt of its step is a wave of its own", async () => {
    const { begin, drive, world, status, session, does } = await makeLifecycleWorld();
    const go = join(world.dir, "go");
    const waits = "await new Promise((done) => setTimeout(done, 600_000));";
    does("analyze", `if (!fs.existsSync(${JSON.stringify(go)})) ${waits}`);
    const run = await begin();
    const driver = world.startDriver(run);
    await until(() => existsSync(join(world.dir, "performed")));
    await driver.kill();
    writeFileSync(go, "");
    expect(await drive(run)).toBe("held");
    expect(status().waves.map(({ n, status: word, step_indexes }) => [n, word, step_indexes])).toEqual([
      [1, "failed", [0]],
      [2, "completed", [0]],
      [3, "completed", [1]],
      [4, "completed", [2]],
      [5, "completed", [3]],
    ]);
    expect(readFileSync(session.wave(1), "utf8")).toContain("maestro-analyze 1");
    expect(rowsOf(readFileSync(session.results(1), "utf8"))[1]?.slice(0, 3)).toEqual([
      "1",
      "failed",
      '$maestro-ralph-execute "$maestro-analyze 1"',
    ]);
    expect((await world.events(run)).filter(({ type }) => type.startsWith("file_change"))).toEqual([]);
  });
});
