// Plays antfarm's own files and files in use to their end, unmodified, with an agent that obeys its prompt to the letter: in this
// process, with the real store and real git.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { noUsage } from "../../src/domain/attempt.ts";
import type { Executor } from "../../src/executors/executor.ts";
import type { Parts } from "../../src/runtime/parts.ts";
import { loadWorkflow } from "../../src/workflows/load.ts";
import { obey } from "../support/obedient.ts";
import { makeWorld } from "../support/world.ts";

const samples = fileURLToPath(new URL("../../../shared/samples/antfarm/", import.meta.url));
beforeEach(({ skip }) => skip(!existsSync(samples), "antfarm's workflow files are not beside the repository"));

/** Files that are refused because a key would change what they mean. */
const refused = ["pipeline-orchestrator"];

const files = existsSync(samples)
  ? readdirSync(samples, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yml"))
  : [];
const isAmong = (names: readonly string[]) => (file: string) => names.some((name) => file.includes(name));

const player: Executor = {
  name: "obedient",
  missing: () => Promise.resolve(null),
  start({ prompt, cwd }) {
    const text = obey({ prompt, cwd, rejects: false });
    const end = { outcome: "ran", text, usage: noUsage, session: null, notes: [] } as const;
    return { started: Promise.resolve(), ended: Promise.resolve(end), stop: () => undefined };
  },
};

function played(parts: Parts): Parts {
  const { executors } = parts;
  return {
    ...parts,
    executors: {
      get: () => Promise.resolve(player),
      priced: (name, end) => executors.priced(name, end),
      awaitMs: () => null,
      permitsFor: () => [],
      namesFor: (...given) => executors.namesFor(...given),
      accountOf: (...given) => executors.accountOf(...given),
    },
  };
}

test.each(files.filter((file) => !isAmong(refused)(file)))(
  "[PR37] %s runs to its end",
  async (file) => {
    const world = await makeWorld();
    writeFileSync(join(world.dir, "workflow.yml"), readFileSync(join(samples, file)));
    const parts = played(world.parts);
    const run = await world.begin("Fix what is wrong", parts, "obedient");
    const status = await world.drive(run, { parts });
    const ended = (await world.attempts(run)).map(({ name, state }) =>
      state.phase === "ended" ? `${name} ${state.outcome} ${state.outcome === "completed" ? "" : state.why}` : name,
    );
    expect({ status, ended: ended.filter((line) => !line.includes(" completed ")) }).toEqual({
      status: "done",
      ended: [],
    });
    const text = readFileSync(join(samples, file), "utf8");
    if (!/\bfix-001\b/.test(text)) return;
    expect((await world.run(run)).header.stories.map(({ id }) => id)).toContain("fix-001");
  },
  60_000,
);

test.each(files.filter(isAmong(refused)))("[WF65] %s is refused, with the keys that it cannot have", (file) => {
  const { problems } = loadWorkflow(readFileSync(join(samples, file), "utf8"), file);
  const errors = problems.filter(({ severity }) => severity === "error");
  expect(errors.length).toBeGreaterThan(0);
  for (const { message } of errors) expect(message).toContain("`condition`");
});

test("[WF4] every other file loads", () => {
  for (const file of files.filter((each) => !isAmong(refused)(each))) {
    const { problems } = loadWorkflow(readFileSync(join(samples, file), "utf8"), file);
    expect([file, problems.filter(({ severity }) => severity === "error")]).toEqual([file, []]);
  }
});
