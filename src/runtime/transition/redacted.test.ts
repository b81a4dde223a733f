// What is written of an attempt: its commands, its log, and its end until the store knows.

import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { makeWorld } from "../../../test/support/world.ts";
import { noUsage } from "../../domain/attempt.ts";
import type { FinishAttempt } from "../../domain/command.ts";
import { attemptId, storyId, token } from "../../domain/ids.ts";
import type { CompletedReport } from "../../domain/report.ts";
import { environmentSecrets } from "../../system/secrets/secrets.ts";
import { endFile, logFile, openLog } from "../attempt/logs.ts";
import { readEnd, saveEnd } from "../attempt/records.ts";
import { redactedCommand } from "./redacted.ts";

const value = "s3cr3t-value-4711";
const secrets = environmentSecrets({ MY_SECRET: value });
const plan = [{ id: storyId(`US-${value}`), title: value, description: "", acceptanceCriteria: [], dependsOn: [] }];
const said: CompletedReport = {
  outcome: "completed",
  verdict: { kind: "value", value },
  outputs: { token: value, [value]: "x" },
  stories: plan,
  feedback: value,
  notes: [value],
  edits: { operations: [{ op: "skip", step: "ship" as never, reason: value }], notes: [] },
};

test("[SE9] of a report all words are redacted, also a key that is called token; its ids, token and tree arrive as they are", () => {
  const command: FinishAttempt = {
    type: "finish_attempt",
    at: 1,
    author: "driver",
    story: null,
    attempt: attemptId("at-1"),
    token: token(value),
    report: { ...said, usage: noUsage, session: `session-${value}`, tree: value },
  };
  const redacted = redactedCommand(secrets, command) as FinishAttempt;
  expect(redacted).toMatchObject({
    token: value,
    report: {
      verdict: { kind: "value", value: "[secret:MY_SECRET]" },
      outputs: { token: "[secret:MY_SECRET]", "[secret:MY_SECRET]": "x" },
      stories: [{ id: "US-secret-MY_SECRET", title: "[secret:MY_SECRET]" }],
      session: "session-[secret:MY_SECRET]",
      tree: value,
    },
  });
  const rest = JSON.stringify({ ...redacted, token: null, report: { ...redacted.report, tree: null } });
  expect(rest).not.toContain(value);
});

test("[SE14] the token of an attempt is none of these secrets: with it an agent reports", () => {
  const own = environmentSecrets({ PAWL_TOKEN: "Zk3vQ9xw2mFa8LpT5rYc1NbD" });
  expect(own.redact("Zk3vQ9xw2mFa8LpT5rYc1NbD")).toBe("Zk3vQ9xw2mFa8LpT5rYc1NbD");
});

test("[SE11] an end that is saved for the next driver has no secret and no variables of the tree, and can be read again", async () => {
  const world = await makeWorld();
  const parts = { ...world.parts, secrets };
  const run = await world.begin();
  await world.drive(run);
  const [attempt] = await world.attempts(run);
  if (!attempt) throw new Error("nothing was attempted");
  const file = endFile(parts, run, attempt);
  mkdirSync(dirname(file), { recursive: true });
  const end = { outcome: "ran", text: `STATUS: ${value}`, usage: noUsage, session: null, notes: [value] } as const;
  saveEnd(parts, run, attempt, { end, reported: { report: said } });
  expect(readFileSync(file, "utf8")).not.toContain(value);
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")) as object)).toEqual(["attempt", "end", "reported"]);
  expect(readEnd(parts, run, attempt)).toMatchObject({
    end: { text: "STATUS: [secret:MY_SECRET]" },
    reported: { report: { stories: [{ id: "US-secret-MY_SECRET" }] } },
  });
});

test("[SE7 SE6] a log has each stream without secrets, however they are cut, and its last bytes", async () => {
  const world = await makeWorld();
  const run = await world.begin();
  await world.drive(run);
  const [[attempt], { header }] = [await world.attempts(run), await world.run(run)];
  if (!attempt) throw new Error("nothing was attempted");
  const log = openLog({ ...world.parts, secrets }, header, { ...attempt, number: 7 });
  await log.sink("stdout", Buffer.from(`out ${value.slice(0, 5)}`));
  await log.sink("stderr", Buffer.from(`err ${value.slice(0, 9)}`));
  await log.sink("stdout", Buffer.from(`${value.slice(5)}\n`));
  await log.sink("stderr", Buffer.from(`${value.slice(9)}\nand s3cr3t-val`));
  await log.close();
  const text = readFileSync(logFile(world.parts, header, { ...attempt, number: 7 }), "utf8");
  expect(text).toBe("out err [secret:MY_SECRET]\n[secret:MY_SECRET]\nand s3cr3t-val");
});
