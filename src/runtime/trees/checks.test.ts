// Checks with real processes: what is read, from where, and what is never a pass.

import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import type { Check } from "../../domain/check.ts";
import { runChecks } from "./checks.ts";

const run = (cwd: string, ...checks: readonly Check[]) =>
  runChecks(checks, { cwd, attempt: "attempt", sink: () => undefined, env: { WORD: "word" } }, () => undefined);
const junit = (inside: string) => `<testsuite><testcase name="a">${inside}</testcase></testsuite>`;

test("[RS4 RS9 RS10 D64] results decide beside the exit code; what is kept as a fact runs after a red check, other checks do not", async () => {
  const cwd = tempDir();
  const text = "printf '1..3\\nok 1 - a\\nnot ok 2 - b\\nok 3 # skip\\n'; echo tail";
  const { red, facts } = await run(
    cwd,
    { run: text, reads: "tap" },
    { run: "touch plain" },
    { run: "echo no >&2; exit 3", as: "lint" },
    { run: "printf '1..1\\nnot ok 1 - c\\n'", reads: "tap" },
  );
  expect(facts).toMatchObject({
    tests: { pass: 1, fail: 2, skip: 1 },
    failing_tests: ["b", "c"],
    lint_pass: false,
    checks: [{ passed: false }, { passed: false }, { passed: false }],
  });
  expect(red).toMatch(
    /^Failing tests:\n- b\n\n`printf.*exit code 0, 1 of 2 tests fail\n\n1\.\.3[^]*tail[^]*exit code 3\n\nno/,
  );
  const green = await run(cwd, { run: "test $WORD = word", as: "lint" });
  expect(green).toEqual({
    red: null,
    facts: { lint_pass: true, checks: [{ run: "test $WORD = word", passed: true }] },
  });
});

test("[RS11 RS4] a file of results is one that the command wrote, inside the tree", async () => {
  const cwd = tempDir();
  const outside = join(tempDir(), "r.xml");
  writeFileSync(outside, junit(""));
  const reads = { reads: "junit", file: "out/r.xml" } as const;
  const why = async (command: string) => (await run(cwd, { run: command, ...reads })).red;
  expect(await why("true")).toContain("there is no such file");
  expect(await why(`mkdir -p out; echo '${junit("")}' > out/r.xml`)).toBeNull();
  expect(await why("true")).toContain("the command did not write the file");
  expect(await why(`echo '${junit("<failure/>")}' > out/r.xml`)).toContain("1 of 1 tests fail");
  expect(await why(`rm out/r.xml; ln -s ${outside} out/r.xml`)).toContain("is a link");
  symlinkSync(join(outside, ".."), join(cwd, "away"));
  expect((await run(cwd, { run: "true", reads: "junit", file: "away/r.xml" })).red).toContain("link");
});

test("[RS6 RS4] a command that is not there, cannot be run or is killed never passes, whatever it must do", async () => {
  const cwd = tempDir();
  for (const must of ["pass", "fail"] as const)
    for (const command of ["no-such-program-1", "kill -9 $$", "sh -c 'kill -9 $$'", "touch f; ./f"])
      expect((await run(cwd, { run: command, must })).red, `${command} must ${must}`).not.toBeNull();
  expect((await run(cwd, { run: "exit 1", must: "fail" })).red).toBeNull();
  expect((await run(cwd, { run: "exit 0", must: "fail" })).red).toContain("must fail");
});

test("[RS3] 200 MB of noise around a result are read", async () => {
  const noise = "yes 'some long line of noise that a program prints' | head -c 100000000";
  const { red, facts } = await run(tempDir(), {
    run: `${noise}; echo; printf '1..1\\nok 1 - a\\n'; ${noise}`,
    reads: "tap",
  });
  expect(red).toBeNull();
  expect(facts).toMatchObject({ tests: { pass: 1, fail: 0, skip: 0 } });
});
