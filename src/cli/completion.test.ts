// Completion in a real bash: commands, subcommands, options, and no home that was not there.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/repository.ts";

const program = fileURLToPath(new URL("../../bin/pawl", import.meta.url));

test("[CM151] bash completes commands, subcommands, options and workflows, and no home is made", () => {
  const home = join(tempDir(), "home");
  const complete = (...words: readonly string[]) => {
    const script = `pawl() { '${process.execPath}' '${program}' "$@"; }; source <(pawl completion bash)
COMP_WORDS=(pawl ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _pawl; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", script], { env: { ...process.env, PAWL_HOME: home }, encoding: "utf8" }).trim();
  };
  expect(complete("sto").split("\n")).toEqual(expect.arrayContaining(["stop", "story", "stories", "store"]));
  expect(complete("story", "m")).toBe("move");
  expect(complete("story", "move", "3", "A", "--fi")).toBe("--first");
  expect(complete("run", "feat")).toBe("feature-dev");
  expect(complete("diff", "")).toBe("");
  expect(complete("nonsense", "x")).toBe("");
  expect(existsSync(home)).toBe(false);
});
