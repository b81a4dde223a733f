// Checks that each generated document is up to date.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

test.each([
  ["docs/spec/states.md", "docs/spec/diagrams.ts"],
  ["ARCHITECTURE.md", "scripts/architecture.ts"],
])("%s is what %s writes", (_, script) => {
  const check = () => execFileSync(process.execPath, [script, "--check"], { cwd: root, stdio: "pipe" });
  expect(check).not.toThrow();
});
