// `executors` in configuration files.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../test/support/repository.ts";
import { AppError } from "../domain/error.ts";
import { type Config, readConfig } from "./config.ts";

async function configOf(own: string, theirs = ""): Promise<Config> {
  const dir = tempDir();
  const file = join(dir, "config.yml");
  writeFileSync(file, own);
  mkdirSync(join(dir, ".pawl"));
  writeFileSync(join(dir, ".pawl", "config.yml"), theirs);
  return await readConfig(file, dir);
}

async function problemOf(text: string): Promise<string> {
  const error: unknown = await configOf(text).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error(`it was accepted: ${text}`);
  expect([error.code, error.exitCode]).toEqual(["CONFIG_INVALID", 2]);
  return error.message.replace(/^.*config\.yml: /, "");
}

describe("[EX47] agents in the configuration", () => {
  test("everything, as it is written", async () => {
    const { executors } = await configOf(`
executors:
  careful:
    kind: claude
    program: /opt/claude
    model: sonnet
    effort: high
    max_turns: 80
    max_usd: 2.5
    access: read
    args: [--betas, x]
    env: [MY_TOKEN]
    limits: { wall: 45m, quiet: 10m, start: 30s }
`);
    expect(executors["careful"]).toEqual({
      kind: "claude",
      command: [],
      script: null,
      program: "/opt/claude",
      model: "sonnet",
      effort: "high",
      maxTurns: 80,
      maxUsd: 2.5,
      access: "read",
      args: ["--betas", "x"],
      env: ["MY_TOKEN"],
      wallMs: 45 * 60_000,
      quietMs: 10 * 60_000,
      startMs: 30_000,
    });
  });

  test("the kind is the name where that is an agent's, unless it is a command", async () => {
    const { executors } = await configOf(
      "executors: { claude: { model: opus }, codex: { command: [codex, exec] }, mine: { command: [a] } }",
    );
    const kinds = Object.entries(executors).map(([name, { kind }]) => `${name}:${kind}`);
    expect(kinds).toEqual(["claude:claude", "codex:command", "mine:command"]);
  });

  test.each([
    ["{ mine: { model: opus } }", "executors.mine: a command executor needs `command`"],
    ["{ mine: { command: [a], model: opus } }", "executors.mine: `model` is for agents (kind: claude, codex,"],
    ["{ mine: { command: [a], limits: { start: 5s } } }", "executors.mine: `limits.start` is for agents"],
    ["{ x: { kind: claude, command: [a] } }", "executors.x: `command` is for kind: command"],
    ["{ x: { kind: claude, script: a } }", "executors.x: `script` is for kind: scripted"],
    ["{ x: { kind: gemini, effort: high } }", "executors.x: gemini has no levels of effort"],
    ["{ x: { kind: codex, max_usd: 3 } }", "executors.x: codex does not say what it costs"],
    ["{ goose: { access: read } }", "executors.goose: goose cannot be kept from writing"],
    ["{ claude: { program: ./claude } }", "executors.claude.program: a program on PATH, or an absolute path"],
    ["{ claude: { program: --help } }", "executors.claude.program: "],
    ["{ claude: { model: --help } }", "executors.claude.model: one word"],
    ["{ claude: { max_turns: 0 } }", "executors.claude.max_turns: "],
    ["{ claude: { access: all } }", "executors.claude.access: "],
    ["{ claude: { sandbox: none } }", 'executors.claude: Unrecognized key: "sandbox"'],
    ["{ x: { kind: cursor } }", "executors.x.kind: "],
  ])("%s", async (text, problem) => {
    expect(await problemOf(`executors: ${text}`)).toContain(problem);
  });
});

describe("[EX48] what a repository may say of agents", () => {
  test("not how they are called: whoever says that has the user's keys", async () => {
    const theirs = "executors: { claude: { program: /repo/evil, args: [--settings, evil.json], model: opus } }";
    const { executors, warnings } = await configOf("executors: { claude: { program: /opt/claude } }", theirs);
    expect(executors["claude"]).toMatchObject({ program: "/opt/claude", args: [], model: "opus" });
    expect(warnings.join()).toMatch(/\.pawl\/config\.yml may not say how claude is called; .+config\.yml$/);
    const alone = await configOf("", theirs);
    expect(alone.executors["claude"]).toMatchObject({ program: null, args: [] });
  });

  test("limits and rights only tighter than the user's own", async () => {
    const own = "executors: { claude: { max_turns: 20, max_usd: 1, access: read } }";
    const looser = await configOf(own, "executors: { claude: { max_turns: 90, max_usd: 9, access: write } }");
    expect(looser.executors["claude"]).toMatchObject({ maxTurns: 20, maxUsd: 1, access: "read" });
    const tighter = await configOf(own, "executors: { claude: { max_turns: 5 } }");
    expect(tighter.executors["claude"]).toMatchObject({ maxTurns: 5, maxUsd: 1, access: "read" });
  });

  test("and no variable that the user gives to nobody", async () => {
    const { executors } = await configOf("", "executors: { claude: { env: [AWS_SECRET_ACCESS_KEY] } }");
    expect(executors["claude"]?.env).toEqual([]);
  });
});
