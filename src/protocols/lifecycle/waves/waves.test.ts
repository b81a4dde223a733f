// Waves of several skills around real attempts: the rows that they find, the results that they leave, and what is repeated.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeLifecycleWorld } from "../../../../test/support/lifecycle-world.ts";
import { until } from "../../../../test/support/until.ts";
import { withWave } from "../../../../test/support/wave-stages.ts";
import { readCsv } from "./csv.ts";

const rowsOf = (text: string) => {
  const read = readCsv(text);
  return read.kind === "rows" ? read.rows.map(({ fields }) => fields) : [];
};
/** A project before its verification: the wave is the first one of its session. */
const executed = [{ type: "execute", milestone: "M1", phase: 1, status: "completed", path: "a" }];
const makeWave = async (stages: Readonly<Record<string, string>>, artifacts: readonly unknown[] = executed) =>
  await makeLifecycleWorld(artifacts, (text) => withWave(text, stages));
const three = { lint: "acme-lint {{phase}}", audit: 'acme-audit "{{intent}}"' };
const head = "id,status,skill_call,summary,artifacts,error\\n";

describe("a wave of several skills", () => {
  test("[LW6 LS11 LS13 E49 E50 E51 E53] has a row for each, one program for each row, and a result for each", async () => {
    const { begin, drive, does, performed, status, session, world } = await makeWave(three);
    const seen = (stage: string) => join(world.dir, `seen-${stage}`);
    for (const stage of ["lint", "audit", "verify"])
      does(stage, `fs.copyFileSync(session + "/wave-1.csv", ${JSON.stringify(seen(stage))});`);
    const run = await begin();
    expect(await drive(run)).toBe("held");
    for (const stage of ["lint", "audit", "verify"])
      expect(readFileSync(seen(stage), "utf8")).toBe(readFileSync(session.wave(1), "utf8"));
    expect(rowsOf(readFileSync(session.wave(1), "utf8"))).toEqual([
      ["id", "skill_call", "topic"],
      ["1", '$maestro-ralph-execute "$acme-lint 1"', "Ralph step 1/14: lint phase 1"],
      [
        "2",
        '$maestro-ralph-execute "$acme-audit \\"a \\\\\\"shop\\\\\\", with tea\\""',
        "Ralph step 2/14: audit phase 1",
      ],
      ["3", '$maestro-ralph-execute "$maestro-verify 1"', "Ralph step 3/14: verify phase 1"],
    ]);
    const calls = performed();
    expect(calls.map(({ stage }) => stage).toSorted()).toEqual(["audit", "lint", "verify"]);
    for (const { stage, csv, call } of calls) {
      const id = { lint: 1, audit: 2, verify: 3 }[stage] ?? 0;
      expect(rowsOf(csv ?? "")[1]?.[0]).toBe(String(id));
      expect(rowsOf(csv ?? "")).toHaveLength(2);
      expect(call).toMatchObject({ csv_path: session.row(1, id).wave, max_workers: 1 });
    }
    expect(rowsOf(readFileSync(session.results(1), "utf8")).map((fields) => fields.slice(0, 4))).toEqual([
      ["id", "status", "skill_call", "summary"],
      ["1", "completed", '$maestro-ralph-execute "$acme-lint 1"', "lint went well"],
      ["2", "completed", expect.stringContaining("$acme-audit"), "audit went well"],
      ["3", "completed", '$maestro-ralph-execute "$maestro-verify 1"', "verify went well"],
    ]);
    const { steps, waves, current_step } = status();
    expect(steps.slice(0, 4)).toMatchObject([
      { stage: "lint", id: "M1-P1/lint-and-audit-and-verify+lint", skill: "acme-lint", args: "1", wave: 1 },
      { stage: "audit", skill: "acme-audit", args: '"a \\"shop\\", with tea"', status: "completed", wave: 1 },
      { stage: "verify", skill: "maestro-verify", status: "completed", summary: "verify went well", wave: 1 },
      { stage: "post-verify", type: "decision", status: "pending", wave: null },
    ]);
    expect([steps.length, current_step]).toEqual([14, 3]);
    expect(waves).toMatchObject([
      { n: 1, step_indexes: [0, 1, 2], status: "completed", spawn: null, rows: [{ id: 1 }, { id: 2 }, { id: 3 }] },
    ]);
    expect(readdirSync(session.dir).filter((name) => name.includes("row"))).toEqual([]);
    expect((await world.events(run)).filter(({ type }) => type.startsWith("file_change"))).toEqual([]);
  });

  const python = spawnSync("python3", ["--version"]).status === 0;
  test.runIf(python)("[LW6 LS10 E50] is read by a CSV parser of others", async () => {
    const { begin, drive, session } = await makeWave(three);
    await drive(await begin());
    const program = "import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline='')))))";
    for (const file of [session.wave(1), session.results(1)]) {
      const read: unknown = JSON.parse(execFileSync("python3", ["-c", program, file], { encoding: "utf8" }));
      expect(read).toEqual(rowsOf(readFileSync(file, "utf8")));
    }
  });

  test("[LW7 LS12 E52] a row that is missing, doubled or odd in its results has failed alone, and only it is repeated", async () => {
    const { begin, drive, answer, does, performed, status, session } = await makeWave(three);
    const run = await begin();
    const bad = ["", "1,completed,x,,,\\n1,completed,x,,,\\n", "1,done,x,,,\\n", "2,completed,x,,,\\n"];
    for (const [index, text] of bad.entries()) {
      does("lint", `results("${head}${text}");`);
      if (index > 0) await answer(run, "again");
      expect(await drive(run)).toBe("held");
      expect(
        status()
          .steps.slice(0, 3)
          .map((step) => step.status),
      ).toEqual(["failed", "completed", "completed"]);
      expect(status()).toMatchObject({ status: "paused", current_step: 0 });
    }
    does("lint", `results("${head}1,completed,x,clean at last,,\\n");`);
    await answer(run, "again");
    await drive(run);
    expect(
      performed()
        .map(({ stage }) => stage)
        .filter((stage) => stage !== "lint")
        .toSorted(),
    ).toEqual(["audit", "verify"]);
    expect(status().steps[0]).toMatchObject({ status: "completed", summary: "clean at last", wave: 5 });
    expect(status().waves.map(({ status: word, rows }) => [word, rows.map(({ id }) => id)])).toEqual([
      ["failed", [1, 2, 3]],
      ["failed", [1]],
      ["failed", [1]],
      ["failed", [1]],
      ["completed", [1]],
    ]);
    expect(rowsOf(readFileSync(session.results(1), "utf8")).map(([, word]) => word)).toEqual([
      "status",
      "failed",
      "completed",
      "completed",
    ]);
    expect(rowsOf(readFileSync(session.wave(5), "utf8"))).toHaveLength(2);
  });

  test("[LW7 LS5 E54] a skill that says it failed, or crashes, is repeated alone", async () => {
    const { begin, drive, answer, does, performed, status } = await makeWave(three);
    does("lint", 'say("STATUS: failed\\nREASON: no network");');
    does("audit", "process.exit(3);");
    const run = await begin();
    expect(await drive(run)).toBe("held");
    expect(
      status()
        .steps.slice(0, 3)
        .map((step) => step.status),
    ).toEqual(["failed", "failed", "completed"]);
    for (const stage of ["lint", "audit"]) does(stage, "");
    await answer(run, "again");
    await answer(run, "again");
    expect(await drive(run)).toBe("held");
    expect(status()).toMatchObject({ status: "running", current_step: 3 });
    const counts = (stage: string) => performed().filter((each) => each.stage === stage).length;
    expect([counts("lint"), counts("audit"), counts("verify")]).toEqual([2, 2, 1]);
  });

  test("[LW8 LD8 E49] a row whose call cannot be made is in no file; the others run", async () => {
    const { begin, drive, performed, status, session } = await makeWave({ lint: "acme-lint {{analysis_dir}}" });
    expect(await drive(await begin())).toBe("held");
    expect(performed().map(({ stage }) => stage)).toEqual(["verify"]);
    expect(rowsOf(readFileSync(session.wave(1), "utf8")).map(([id]) => id)).toEqual(["id", "2"]);
    expect(status().steps.slice(0, 2)).toMatchObject([
      { stage: "lint", status: "failed", error: expect.stringContaining("lint: the call needs {{analysis_dir}}") },
      { stage: "verify", status: "completed" },
    ]);
  });

  test("[LW9 LS19 E51 E52] another program performs the wave as a whole, by the call in status.json", async () => {
    const { begin, drive, status, session } = await makeWave(three);
    const run = await begin({ executor: "await" });
    const driving = drive(run);
    await until(() => existsSync(session.wave(1)) && status().waves[0]?.rows.every(({ attempt }) => attempt !== null));
    expect(status().waves[0]?.spawn).toMatchObject({
      csv_path: session.wave(1),
      max_workers: 3,
      max_runtime_seconds: 3_600,
      output_csv_path: session.results(1),
    });
    const fields = "id,status,summary\n";
    writeFileSync(session.results(1), `${fields}1,completed,clean\n3,completed,there\n`);
    await until(() => status().steps[0]?.status === "completed" && status().steps[2]?.status === "completed");
    expect(status().steps[1]?.status).toBe("running");
    const text = `${fields}1,completed,clean\n3,completed,there\n2,failed,leaky\n`;
    writeFileSync(session.results(1), text);
    expect(await driving).toBe("held");
    expect(status().steps[1]).toMatchObject({ stage: "audit", status: "failed" });
    expect(readFileSync(session.results(1), "utf8")).toBe(text);
  });

  test("[LW10 LS9 E53 E71] of a wave whose driver died, only the skill that was lost runs again", async () => {
    const { begin, drive, does, performed, status, session, world } = await makeWave({ lint: "acme-lint {{phase}}" });
    const go = join(world.dir, "go");
    does(
      "verify",
      `if (!fs.existsSync(${JSON.stringify(go)})) await new Promise((done) => setTimeout(done, 600_000));`,
    );
    const run = await begin();
    const driver = world.startDriver(run);
    const lintOf = async () => (await world.events(run)).some(({ type }) => type === "part_ended");
    await until(async () => (await lintOf()) && performed().some(({ stage }) => stage === "verify"));
    await driver.kill();
    writeFileSync(go, "");
    expect(await drive(run)).toBe("held");
    expect(
      performed()
        .map(({ stage }) => stage)
        .toSorted(),
    ).toEqual(["lint", "verify", "verify"]);
    expect(status()).toMatchObject({ status: "running", current_step: 2 });
    expect(status().waves.map(({ status: word, rows }) => [word, rows.map((row) => [row.id, row.status])])).toEqual([
      [
        "failed",
        [
          [1, "completed"],
          [2, "failed"],
        ],
      ],
      ["completed", [[2, "completed"]]],
    ]);
    expect(rowsOf(readFileSync(session.results(1), "utf8")).map((fields) => fields.slice(0, 3))).toEqual([
      ["id", "status", "skill_call"],
      ["1", "completed", '$maestro-ralph-execute "$acme-lint 1"'],
      ["2", "failed", '$maestro-ralph-execute "$maestro-verify 1"'],
    ]);
    expect(rowsOf(readFileSync(session.wave(2), "utf8")).map(([id]) => id)).toEqual(["id", "2"]);
  });

  test("[LW11 PF24] in a folder that is not Pawl's the skills take turns, in the order of the file", async () => {
    const { begin, drive, does, world } = await makeWave(three);
    const turns = join(world.dir, "turns");
    const word = (what: string) => `fs.appendFileSync(${JSON.stringify(turns)}, "${what} " + env.PAWL_PART + "\\n");`;
    for (const stage of ["lint", "audit", "verify"])
      does(stage, `${word("begin")} await new Promise((done) => setTimeout(done, 50)); ${word("end")}`);
    await drive(await begin());
    const order = ["lint", "audit", "verify"].flatMap((stage) => [`begin ${stage}`, `end ${stage}`]);
    expect(readFileSync(turns, "utf8").trim().split("\n")).toEqual(order);
  });
});
