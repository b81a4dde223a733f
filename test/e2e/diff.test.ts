// `pawl diff` as people and programs meet it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode } from "../support/pawl.ts";
import { newRalph } from "../support/ralph.ts";
import { until } from "../support/until.ts";

test("[DF1 DF4 DF9 CM1] a story at work on the command line: text, counts, a document; no name breaks a line", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002", depends_on: ["US-001"] }], {
    agent: `US-001/coding) printf 'one\\n' >"$(printf 'odd\\nname\\033[31m')"; touch "$S/begun"; await_file go ;;`,
  });
  const running = ralph.startRun();
  await until(() => ralph.isThere("begun"));
  const text = await ralph.pawl("diff", "1", "US-001");
  expectCode(text, 0);
  expect(text.stdout).toMatch(/^diff --git "a\/odd\\nname\\033\[31m" .*\n(.*\n)+\+one\n$/);
  const stat = await ralph.pawl("diff", "1", "US-001", "--stat");
  expect(stat.stdout).toBe('A  +1     -0     "odd\\nname\\u001b[31m"\n1 file, +1 -0\n');
  const document = await ralph.json<{ files: unknown; from: string }>(["diff", "1", "US-001"]);
  expect(document).toMatchObject({ from: "tree", files: [{ path: "odd\nname\u001b[31m", status: "added", added: 1 }] });

  const waiting = await ralph.pawl("diff", "1", "US-002");
  expectCode(waiting, 0);
  expect(waiting).toMatchObject({ stdout: "", stderr: "note: US-002 has not started: it is waiting\n" });
  const unknown = await ralph.pawl("diff", "1", "US-009");
  expectCode(unknown, 5);
  writeFileSync(join(ralph.path("go")), "");
  expectCode(await running.ended, 0);
});
