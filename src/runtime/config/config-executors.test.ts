// `executors` in configuration files.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../../test/support/agents.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { AppError } from "../../domain/error.ts";
import { type Config, readConfig } from "./config.ts";

async function configOf(own: string, theirs = ""): Promise<Config> {
  const dir = tempDir();
  const file = join(dir, "config.yml");
  writeFileSync(file, own);
  mkdirSync(join(dir, ".pawl"));
  writeFileSync(join(dir, ".pawl", "config.yml"), theirs);
  return await readConfig(file, dir, agents);
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
      preset: null,
      permissions: null,
      isolated: null,
      sandbox: null,
      account: null,
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
    ["{ mine: { command: [a], script: b } }", "executors.mine: `script` is for kind: scripted"],
    ["{ x: { kind: scripted } }", "executors.x: a scripted executor needs `script`"],
    ["{ x: { kind: scripted, script: a, command: [b] } }", "executors.x: `command` has no effect for kind: scripted"],
    ["{ x: { kind: scripted, script: a, env: [B] } }", "executors.x: `env` has no effect for kind: scripted"],
    ["{ x: { kind: scripted, script: a, model: b } }", "executors.x: `model` has no effect for kind: scripted"],
    ["{ x: { kind: scripted, script: a, limits: { wall: 5s } } }", "executors.x: `limits.wall` has no effect for"],
    ["{ x: { kind: scripted, script: a, access: read, sandbox: bwrap } }", "executors.x: `access` has no effect for"],
    ["{ x: { kind: claude, script: a } }", "executors.x: `script` is for kind: scripted"],
    ["{ x: { kind: gemini, effort: high } }", "executors.x: gemini has no levels of effort"],
    ["{ x: { kind: codex, max_usd: 3 } }", "executors.x: codex does not report its cost"],
    ["{ goose: { access: read } }", "executors.goose: goose cannot be kept from writing"],
    ["{ claude: { program: ./claude } }", "executors.claude.program: a program on PATH, or an absolute path"],
    ["{ claude: { program: --help } }", "executors.claude.program: "],
    ["{ claude: { model: --help } }", "executors.claude.model: one word"],
    ["{ claude: { max_turns: 0 } }", "executors.claude.max_turns: "],
    ["{ claude: { access: all } }", "executors.claude.access: "],
    ["{ claude: { sandboxed: true } }", 'executors.claude: Unrecognized key: "sandboxed"'],
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

  test("time limits, too; where it has none, the user's", async () => {
    const own = "executors: { claude: { limits: { wall: 10m, quiet: 2m, start: 9s } }, x: { command: [a] } }";
    const limitsOf = async (theirs: string) => {
      const { wallMs, quietMs, startMs } = (await configOf(own, `executors: { ${theirs} }`)).executors["claude"] ?? {};
      return [wallMs, quietMs, startMs];
    };
    expect(await limitsOf("claude: { model: opus }")).toEqual([600_000, 120_000, 9_000]);
    expect(await limitsOf("claude: { limits: { wall: 100h, quiet: 1s } }")).toEqual([600_000, 1_000, 9_000]);
    const { executors } = await configOf(own, "executors: { x: { command: [b], limits: { wall: 5m } } }");
    expect(executors["x"]).toMatchObject({ command: ["b"], wallMs: 300_000 });
  });

  test("another kind by the same name is held by the same limits", async () => {
    const own = "executors: { judge: { kind: codex, access: read, max_turns: 5, limits: { wall: 10m } } }";
    const { executors, warnings } = await configOf(own, "executors: { judge: { kind: claude, max_turns: 9 } }");
    expect(executors["judge"]).toMatchObject({ kind: "claude", access: "read", maxTurns: 5, wallMs: 600_000 });
    expect(warnings).toEqual([]);
  });

  test.each([
    ["kind: claude, access: read", "command: [sh]"],
    ["kind: claude, access: read", "kind: goose"],
    ["kind: claude, isolated: true", "kind: acp, preset: claude"],
    ["kind: claude, max_usd: 1", "kind: codex"],
    ["kind: claude, max_turns: 9", "command: [sh]"],
    ["kind: claude, limits: { start: 9s }", "command: [sh]"],
    ["kind: acp, preset: gemini, permissions: deny", "kind: gemini"],
    ["kind: acp, preset: claude, max_usd: 1", "kind: acp, preset: codex"],
    ["kind: acp, preset: claude, access: read", "kind: acp, command: [sh]"],
    ["kind: acp, command: [a], permissions: ask", "kind: acp, command: [sh]"],
    ["command: [a], limits: { wall: 5m }", "kind: scripted, script: a.yml"],
  ])("or it is not taken, where it cannot be: %s by %s", async (mine, theirs) => {
    const own = `executors: { x: { ${mine} } }`;
    const { executors, warnings } = await configOf(own, `executors: { x: { ${theirs} } }`);
    expect(executors).toEqual((await configOf(own)).executors);
    expect(warnings).toEqual([
      expect.stringMatching(/^\.pawl\/config\.yml may not change x, which stays as it is in .+config\.yml: ./),
    ]);
  });

  test("what the user allows anyway is no limit that another kind must keep", async () => {
    const own =
      "executors: { x: { kind: acp, preset: gemini, permissions: allow, access: write }, y: { kind: claude } }";
    const { executors, warnings } = await configOf(own, "executors: { x: { kind: gemini }, y: { command: [sh] } }");
    expect([executors["x"]?.kind, executors["y"]?.kind, warnings]).toEqual(["gemini", "command", []]);
  });

  test("what it does not say is as the user has it", async () => {
    const own = "{ program: /opt/claude, args: [-x], env: [VERTEX], effort: low, account: work, model: haiku }";
    const { executors } = await configOf(`executors: { claude: ${own} }`, "executors: { claude: { model: opus } }");
    expect(executors["claude"]).toMatchObject({
      program: "/opt/claude",
      args: ["-x"],
      env: ["VERTEX"],
      effort: "low",
      account: "work",
      model: "opus",
    });
    const other = await configOf(`executors: { claude: ${own} }`, "executors: { claude: { kind: codex } }");
    expect(other.executors["claude"]).toMatchObject({ program: null, args: [], env: [], model: null, account: null });
  });
});

describe("[SE13] a variable of the user's is for the executor to which he gives it", () => {
  const own =
    "executors: { mine: { command: [/opt/mine], env: [MY_KEY] }, cursor: { kind: acp, command: [c], env: [C_KEY] } }";

  test.each([
    ["claude: { env: [MY_KEY] }", "claude"],
    ["x: { command: [sh, -c, evil], env: [MY_KEY] }", "x"],
    ["mine: { command: [sh, -c, evil], env: [MY_KEY] }", "mine"],
    ["mine: { kind: acp, command: [/opt/mine], env: [MY_KEY] }", "mine"],
    ["mine: { command: [/opt/mine], env: [MY_KEY, C_KEY] }", "mine", ["MY_KEY"], "C_KEY"],
    ["cursor: { kind: acp, command: [./evil], env: [C_KEY] }", "cursor", [], "C_KEY"],
    ["cursor: { kind: acp, command: [c], preset: claude, env: [C_KEY] }", "cursor", [], "C_KEY"],
  ])("not for another that a repository wants: %s", async (theirs, name, env: string[] = [], refused = "MY_KEY") => {
    const { executors, warnings } = await configOf(own, `executors: { ${theirs} }`);
    expect(executors[name]?.env).toEqual(env);
    expect(warnings.join("\n")).toContain(`.pawl/config.yml may not pass ${refused} to ${name}; allow it in `);
  });

  test("also where the repository says something else of it", async () => {
    const { executors, warnings } = await configOf(
      own,
      "executors: { mine: { command: [/opt/mine], limits: { wall: 5m }, env: [MY_KEY] } }",
    );
    expect(executors["mine"]).toMatchObject({ env: ["MY_KEY"], wallMs: 300_000 });
    expect(warnings).toEqual([]);
  });
});

describe("[EX83] a sandbox and isolation in the configuration", () => {
  test.each([
    ["{ claude: { sandbox: none } }", { sandbox: null, access: null }],
    ["{ claude: { sandbox: bwrap } }", { sandbox: { network: true, write: [] }, access: null }],
    ["{ claude: { sandbox: read-only } }", { sandbox: null, access: "read" }],
    ["{ claude: { sandbox: workspace-write, access: write } }", { sandbox: null, access: "write" }],
    ["{ claude: { isolated: true } }", { isolated: true }],
    [
      "{ x: { command: [a], access: read, sandbox: { kind: bwrap, network: false, write: [~/.npm, /data] } } }",
      { kind: "command", access: "read", sandbox: { network: false, write: ["~/.npm", "/data"] } },
    ],
    ["{ goose: { access: read, sandbox: bwrap } }", { access: "read", sandbox: { network: true, write: [] } }],
    ["{ x: { kind: scripted, script: a.yml, sandbox: bwrap } }", { sandbox: { network: true, write: [] } }],
  ])("%s", async (text, expected) => {
    const { executors } = await configOf(`executors: ${text}`);
    expect(Object.values(executors)[0]).toMatchObject(expected);
  });

  test.each([
    ["{ claude: { sandbox: docker } }", "executors.claude.sandbox: none, bwrap, read-only"],
    ["{ claude: { sandbox: { kind: bwrap, write: [src] } } }", "executors.claude.sandbox.write.0: an absolute path"],
    [
      "{ claude: { sandbox: read-only, access: write } }",
      "`access: write` and `sandbox: read-only` contradict each other",
    ],
    ["{ x: { command: [a], sandbox: read-only } }", "`access` needs `sandbox: bwrap`"],
    ["{ x: { command: [a], access: read } }", "`access` needs `sandbox: bwrap`"],
    ["{ goose: { sandbox: read-only } }", "goose cannot be kept from writing, except with `sandbox: bwrap`"],
    ["{ goose: { isolated: true } }", "goose cannot be called without your own settings"],
    ["{ x: { command: [a], isolated: true } }", "`isolated` is for agents"],
  ])("%s is refused", async (text, problem) => {
    expect(await problemOf(`executors: ${text}`)).toContain(problem);
  });
});

describe("[EX84] a repository turns them on, and never off", () => {
  const own = "executors: { claude: { isolated: true, sandbox: { kind: bwrap, network: false, write: [/data] } } }";
  const claudeOf = async (mine: string, theirs: string) => (await configOf(mine, theirs)).executors["claude"];

  test("where the user has said nothing it may ask for both", async () => {
    const theirs = "executors: { claude: { isolated: true, sandbox: { kind: bwrap, network: false } } }";
    expect(await claudeOf("", theirs)).toMatchObject({ isolated: true, sandbox: { network: false, write: [] } });
    expect(await claudeOf("executors: { claude: { model: a } }", theirs)).toMatchObject({ isolated: true });
  });

  test.each(["sandbox: none, isolated: false", "model: opus", "sandbox: workspace-write"])(
    "it is what the user says: %s",
    async (settings) => {
      expect(await claudeOf(own, `executors: { claude: { ${settings} } }`)).toMatchObject({
        isolated: true,
        sandbox: { network: false, write: ["/data"] },
      });
    },
  );

  test("neither the network nor a path is opened, and a path that it wants is told", async () => {
    const theirs = "executors: { claude: { sandbox: { kind: bwrap, network: true, write: [/data, /etc] } } }";
    const { executors, warnings } = await configOf(own, theirs);
    expect(executors["claude"]?.sandbox).toEqual({ network: false, write: ["/data"] });
    expect(warnings).toEqual([
      expect.stringMatching(/^\.pawl\/config\.yml may not open \/etc to the sandbox of claude; .+config\.yml$/),
    ]);
  });

  test("no path, not even where the sandbox is its own wish", async () => {
    const theirs = "executors: { claude: { sandbox: { kind: bwrap, write: [/root] } } }";
    for (const mine of ["", "executors: { claude: { model: a } }"]) {
      const { executors, warnings } = await configOf(mine, theirs);
      expect(executors["claude"]?.sandbox).toEqual({ network: true, write: [] });
      expect(warnings).toEqual([expect.stringContaining("may not open /root to the sandbox of claude; allow it in ")]);
    }
  });

  test.each(["", "executors: { codex: { access: read } }", "executors: { codex: { command: [a] } }"])(
    "codex has a tighter one of its own, which is not replaced by ours, unless the user has it: %s",
    async (mine) => {
      const theirs = "executors: { codex: { kind: codex, sandbox: { kind: bwrap, network: false, write: [/root] } } }";
      const { executors, warnings } = await configOf(mine, theirs);
      expect(executors["codex"]).toMatchObject({ kind: "codex", sandbox: null });
      expect(warnings).toEqual([expect.stringContaining("may not replace the sandbox of codex (codex) by another;")]);
      const allowed = await configOf("executors: { codex: { sandbox: bwrap } }", theirs);
      expect(allowed.executors["codex"]?.sandbox).toEqual({ network: false, write: [] });
    },
  );

  test("nor by calling a program by the name of a confined one", async () => {
    const mine =
      "executors: { claude: { sandbox: { kind: bwrap, network: false } }, mine: { command: [a], sandbox: bwrap } }";
    const theirs = "executors: { claude: { command: [sh] }, mine: { kind: scripted, script: a.yml } }";
    const { executors } = await configOf(mine, theirs);
    expect(executors["claude"]).toMatchObject({ kind: "command", sandbox: { network: false } });
    expect(executors["mine"]).toMatchObject({ kind: "scripted", sandbox: { network: true } });
  });
});

describe("[EX85] agents over ACP in the configuration", () => {
  test("a command or a preset, and what asks is allowed, asked or denied", async () => {
    const { executors } = await configOf(
      "executors: { a: { kind: acp, command: [x, --acp], permissions: ask, model: m }, b: { kind: acp, preset: gemini } }",
    );
    expect(executors["a"]).toMatchObject({ kind: "acp", command: ["x", "--acp"], permissions: "ask", model: "m" });
    expect(executors["b"]).toMatchObject({ kind: "acp", command: [], preset: "gemini", permissions: null });
  });

  test.each([
    ["{ x: { kind: acp } }", "an acp executor needs `command`, or `preset`"],
    ["{ x: { kind: acp, preset: cursor } }", "executors.x.preset: "],
    ["{ x: { kind: acp, command: [a], args: [b] } }", "`args` is not for kind: acp"],
    ["{ x: { kind: acp, command: [a], isolated: true } }", "`isolated` is not for kind: acp"],
    ["{ x: { kind: acp, preset: codex, max_usd: 3 } }", "codex does not report its cost over acp"],
    ["{ x: { kind: acp, preset: goose, access: read } }", "goose cannot be kept from writing"],
    ["{ claude: { permissions: ask } }", "`permissions` is for kind: acp"],
    ["{ x: { command: [a], preset: gemini } }", "`preset` is for kind: acp"],
  ])("%s is refused", async (text, problem) => {
    expect(await problemOf(`executors: ${text}`)).toContain(problem);
  });

  test("a repository asks more often, never less, and does not choose the program of one that gets the user's keys", async () => {
    const own = "executors: { a: { kind: acp, preset: claude, command: [mine], permissions: ask } }";
    const permissionsOf = async (theirs: string) => (await configOf(own, theirs)).executors["a"]?.permissions;
    expect(await permissionsOf("executors: { a: { kind: acp, preset: claude, permissions: allow } }")).toBe("ask");
    expect(await permissionsOf("executors: { a: { kind: acp, preset: claude, permissions: deny } }")).toBe("deny");
    const { executors, warnings } = await configOf(
      own,
      "executors: { a: { kind: acp, preset: claude, command: [evil] }, b: { kind: acp, command: [any] } }",
    );
    expect([executors["a"]?.command, executors["b"]?.command]).toEqual([["mine"], ["any"]]);
    expect(warnings.join()).toContain("may not say how a is called; put `command` into");
  });

  test("nor does it give the keys of another preset to the user's program", async () => {
    const own = "executors: { a: { kind: acp, preset: claude, command: [my-claude-acp], env: [MINE], model: opus } }";
    const { executors } = await configOf(own, "executors: { a: { kind: acp, preset: codex } }");
    expect(executors["a"]).toMatchObject({ preset: "codex", command: [], env: [], model: null });
  });
});

describe("[EX86] whom to ask, whose quota it is, and what models cost", () => {
  test("one executor, or several in their order", async () => {
    const read = async (own: string, theirs = "") => {
      const { defaultExecutor, defaultExecutors } = await configOf(own, theirs);
      return [defaultExecutor, ...defaultExecutors];
    };
    expect(await read("default_executor: claude")).toEqual(["claude", "claude"]);
    expect(await read("default_executor: [claude, codex]")).toEqual(["claude", "claude", "codex"]);
    expect(await read("default_executor: claude", "default_executor: [codex, claude]")).toEqual([
      "codex",
      "codex",
      "claude",
    ]);
    expect(await read("")).toEqual([null]);
    expect(await problemOf("default_executor: []")).toContain("default_executor");
  });

  test("an account", async () => {
    const { executors } = await configOf("executors: { claude: { account: work }, x: { command: [a], account: b } }");
    expect([executors["claude"]?.account, executors["x"]?.account]).toEqual(["work", "b"]);
    expect(await problemOf("executors: { claude: { account: my work } }")).toContain(
      "executors.claude.account: one word",
    );
  });

  test("prices, of the user's own file alone", async () => {
    const own = "prices: { opus: { input: 5, cached_input: 0.5, output: 25 }, mine: { input: 0, output: 0 } }";
    const { prices, warnings } = await configOf(own, "prices: { opus: { input: 0, output: 0 } }");
    expect(prices).toEqual({
      opus: { input: 5, cachedInput: 0.5, output: 25 },
      mine: { input: 0, cachedInput: null, output: 0 },
    });
    expect(warnings.join()).toMatch(/\.pawl\/config\.yml may not say what models cost; .+config\.yml$/);
    expect(await problemOf("prices: { opus: { input: -1, output: 2 } }")).toContain("prices.opus.input: ");
  });
});
