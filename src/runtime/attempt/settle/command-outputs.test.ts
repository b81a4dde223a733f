// What a command prints as keys of the run, from outside: a real shell, a real store.

import { expect, test } from "vitest";
import { makeWorld } from "../../../../test/support/world.ts";

test("[PR44 OU1] a command's keys reach the commands and prompts after it", async () => {
  const world = await makeWorld({
    steps: `
  - { id: version, command: "echo building; echo VERSION: 1.4.0; echo done", produces: [VERSION] }
  - { id: facts, command: "printf '{\\"files\\": 3, \\"note\\": \\"two words\\"}'", produces: [files, note] }
  - id: use
    command: 'echo "$V|$F|$N" > "$OUT"'
    env: { V: "{{version}}", F: "{{files}}", N: "{{note}}", OUT: "{{repo}}/used" }
  - { id: last, command: "test \\"$(cat used)\\" = '1.4.0|3|two words'" }
`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  expect((await world.run(run)).header.context).toMatchObject({ version: "1.4.0", files: "3", note: "two words" });
});

test("[PR45] a declared key that is not printed fails the step, which says so; what was printed sets nothing", async () => {
  const world = await makeWorld({
    steps: `
  - id: version
    command: "echo COMMIT: c0ffee; echo version 1.4.0"
    produces: [version, commit]
    on_error: fail
`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("failed");
  const { header } = await world.run(run);
  expect(header.end?.reason).toBe(
    "version: did not complete: it did not print VERSION, which `produces` declares: print the line `VERSION: value`, or one JSON object with it",
  );
  expect(header.context).not.toHaveProperty("commit");
  expect(await world.outcomes(run)).toEqual(["invalid_output"]);
});

test("[PR46] a command that says no sets what it printed; nothing is missing then", async () => {
  const world = await makeWorld({
    steps: `
  - id: audit
    command: "echo FOUND: 2; exit 3"
    produces: [found, report]
    on: { rejected: next }
  - { id: last, command: "true" }
`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  const { context } = (await world.run(run)).header;
  expect(context).toMatchObject({ found: "2" });
  expect(context).not.toHaveProperty("report");
});

test("[PR44] without produces a command sets no key", async () => {
  const world = await makeWorld({ steps: `\n  - { id: version, command: "echo VERSION: 1.4.0" }\n` });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  expect((await world.run(run)).header.context).not.toHaveProperty("version");
});

test("[PR44 SE9] a secret among the values is redacted before anything keeps it", async () => {
  const world = await makeWorld({
    steps: `
  - { id: leak, command: "printf 'KEY: ghp_%s%s\\\\n' 0123456789abcdefghij 0123456789ABCDEF", produces: [key] }
`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  expect((await world.run(run)).header.context).toMatchObject({ key: "[secret]" });
  expect(JSON.stringify(await world.events(run))).not.toContain("ghp_0123");
});
