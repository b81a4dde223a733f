// Completion in real shells: commands, subcommands, options, values, and no home that was not there.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { expectCode } from "../../test/support/pawl.ts";
import { newRalph } from "../../test/support/ralph.ts";
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

/** Prints what the shell would offer after these words; `files` where it would offer files. */
const asked: Readonly<Record<string, (words: readonly string[]) => string>> = {
  bash: (words) => `pawl() { '${process.execPath}' '${program}' "$@"; }; source <(pawl completion bash)
COMP_WORDS=(pawl ${quoted(words)}); COMP_CWORD=${words.length}; _pawl; printf '%s\\n' "\${COMPREPLY[@]:-files}"`,
  zsh: (words) => `pawl() { '${process.execPath}' '${program}' "$@" }; compdef() { : }; _files() { print files }
compadd() { print -l -- \${(P)2} }; source <(pawl completion zsh); words=(pawl ${quoted(words)}); CURRENT=$#words; _pawl`,
  fish: (words) => `function pawl; '${process.execPath}' '${program}' $argv; end; pawl completion fish | source
function __fish_complete_path; echo files; end; complete -C 'pawl ${words.join(" ")}'`,
};

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(" ");
}

for (const [shell, script] of Object.entries(asked)) {
  test.skipIf(spawnSync(shell, ["--version"]).status !== 0)(
    `[CM151] ${shell} completes runs, stories, workflows and choices, also after an option with a value, and files elsewhere`,
    async () => {
      const ralph = newRalph([{ id: "US-001", title: "Evil\u001B[31m\nUS-666" }, { id: "US-002" }]);
      expectCode(await ralph.run("--detach"), 0);
      const flags = { bash: ["--norc", "-c"], zsh: ["-f", "-c"], fish: ["--no-config", "-c"] }[shell] ?? [];
      const complete = (...words: readonly string[]) => {
        const options = { cwd: ralph.repo, env: { ...process.env, PAWL_HOME: ralph.home }, encoding: "utf8" } as const;
        return execFileSync(shell, [...flags, script(words)], options)
          .trim()
          .split("\n");
      };
      expect(complete("diff", "")).toEqual(["1"]);
      expect(complete("diff", "1", "")).toEqual(["US-001", "US-002"]);
      expect(complete("story", "add", "--id", "X", "1", "--after", "US-002")).toEqual(["US-002"]);
      expect(complete("run", "--executor", "codex", "feat")).toEqual(["feature-dev"]);
      expect(complete("story", "drop", "1", "US-001", "--as", "f")).toEqual(["failed"]);
      expect(complete("prd", "run", "")).toEqual(["files"]);
    },
  );
}
