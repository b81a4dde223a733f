// The text of a first configuration: what is in it is accepted, and so is what it suggests.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../../test/support/agents.ts";
import { tempDir } from "../../../test/support/repository.ts";
import type { Project } from "../../project/project.ts";
import { type ConfigFile, readConfigFile } from "../../runtime/config/config-file.ts";
import { configText } from "./config-text.ts";

const nothing: Project = {
  baseBranch: null,
  languages: [],
  managers: [],
  commands: { test: null, lint: null, types: null, setup: [] },
  setupWhen: [],
  alternatives: [],
  nested: { files: [], count: 0 },
  localFiles: [],
  notes: [],
};

const full: Project = {
  ...nothing,
  commands: {
    test: "npm test",
    lint: "cargo clippy --all-targets -- -D warnings",
    types: "npm run types",
    setup: ["npm ci", "uv sync"],
  },
  setupWhen: ["package-lock.json", "uv.lock"],
  alternatives: ["make test"],
  nested: { files: ["a/go.mod"], count: 7 },
  localFiles: [".env", ".env.local"],
};

function readBack(text: string): ConfigFile {
  const file = join(tempDir(), "config.yml");
  writeFileSync(file, text);
  return readConfigFile(file, agents);
}

/** As a person would who wants everything that is suggested. */
function withSuggestions(text: string): string {
  return text.replaceAll(/^( *)# ( *[a-z_]+: ?)/gm, "$1$2");
}

test("[CM63 D63] a test command whose results Pawl can read is written so that it does", () => {
  const go = configText({ ...nothing, commands: { ...nothing.commands, test: "go test ./..." } }, null);
  expect(readBack(go).project).toMatchObject({ test: "go test -json ./...", testResults: { reads: "go-json" } });
});

describe("[CM63] the written file", () => {
  test("says what is known, as the configuration understands it", () => {
    const read = readBack(configText(full, "codex"));
    expect(read.defaultExecutor).toBe("codex");
    expect(read.project).toEqual({
      test: "npm test",
      lint: "cargo clippy --all-targets -- -D warnings && npm run types",
      layers: null,
      hints: null,
    });
    expect(read.workspace).toMatchObject({
      setup: ["npm ci", "uv sync"],
      setupWhen: ["package-lock.json", "uv.lock"],
      copy: null,
    });
    expect([read.executors, read.agents, read.budget.costUsd]).toEqual([{}, null, null]);
  });

  test("says nothing where nothing is known", () => {
    const text = configText(nothing, null);
    expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
    expect(readBack(text).defaultExecutor).toBeNull();
  });

  test.each(agents.kinds)("with %s, every suggestion is right as it stands", (kind) => {
    for (const project of [nothing, full]) {
      const read = readBack(withSuggestions(configText(project, kind)));
      expect(read.executors[kind]).toMatchObject({ kind, maxTurns: 80 });
      expect(read.project.layers).toBe("api -> core -> common");
      expect(read).toMatchObject({ agents: 4, budget: { costUsd: 20, attempts: 500 } });
      expect(read.workspace.copy).toEqual(project === full ? [".env", ".env.local"] : [".env"]);
      expect(read.project.test).not.toBeNull();
    }
  });

  test("files that may hold secrets are named as such and not copied", () => {
    expect(configText(full, null)).toMatch(/^# Git does not have \.env, \.env\.local\..*secrets/m);
    expect(configText(full, null)).toMatch(/^ {2}# copy: \[\.env, \.env\.local\]$/m);
  });

  test("what was found and not taken is said", () => {
    expect(configText(full, null)).toMatch(
      /^# Also found: `make test`\.\n# Not looked into: a\/go\.mod, and 6 more\.$/m,
    );
  });
});
