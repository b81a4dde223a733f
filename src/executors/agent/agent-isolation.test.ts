// Isolation: agents without the user's own settings for them, and with his login.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { performWith, printing, stubAgent } from "../../../test/support/stub-agents.ts";
import { transcripts } from "../../../test/support/transcripts.ts";
import { claude } from "../claude/claude.ts";
import { codex } from "../codex/codex.ts";
import { copilot } from "../copilot/copilot.ts";
import type { ExecutorCall } from "../executor.ts";
import { gemini } from "../gemini/gemini.ts";
import { opencode } from "../opencode/opencode.ts";
import { qwen } from "../qwen/qwen.ts";
import type { AgentOptions } from "./agent-cli.ts";
import type { AgentProfile } from "./agent-profile.ts";

/** A user's home with these files. */
function userHome(files: Readonly<Record<string, string>>): string {
  const home = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

interface Seen {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What was in the directory to which that variable led. */
  readonly names: readonly string[];
  readonly settings: string;
}

/** Calls it, isolated unless told otherwise; `look` is the directory that the agent looks into. */
async function call(
  profile: AgentProfile,
  look: string,
  changes: Partial<ExecutorCall> = {},
  options: Partial<AgentOptions> = {},
): Promise<Seen> {
  const dir = tempDir();
  const text = `for arg; do printf '%s\\0' "$arg"; done > '${dir}/args'; env -0 > '${dir}/env'
    ls -A ${look} > '${dir}/names' 2> /dev/null; cat ${look}/settings.json > '${dir}/settings' 2> /dev/null
    ${printing(transcripts[profile.kind] ?? [])}`;
  const end = await performWith(stubAgent(profile, text, { isolated: true, ...options }), changes);
  expect(end.outcome).toBe("ran");
  const read = (name: string) => readFileSync(join(dir, name), "utf8");
  const entries = read("env")
    .split("\0")
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
  return {
    args: read("args").split("\0").slice(0, -1),
    env: Object.fromEntries(entries),
    names: read("names").split("\n").filter(Boolean),
    settings: read("settings"),
  };
}

describe("[EX75] an isolated agent works without the user's settings, and with his login", () => {
  test("claude: no source of settings, and no servers but ours", async () => {
    const { args } = await call(claude, "/nowhere");
    expect(args[args.indexOf("--setting-sources") + 1]).toBe("");
    expect(args).toContain("--strict-mcp-config");
    const mcp = { url: "http://127.0.0.1:1/mcp", token: "t" };
    const offered = (await call(claude, "/nowhere", { mcp })).args;
    expect(offered.filter((arg) => arg === "--strict-mcp-config")).toHaveLength(1);
    const usual = (await call(claude, "/nowhere", {}, { isolated: false })).args;
    expect(usual.join(" ")).not.toMatch(/--setting-sources|--strict-mcp-config/);
  });

  test("codex: a home with nothing but the login, also where the configuration hands another on", async () => {
    const HOME = userHome({ ".codex/auth.json": "{}", ".codex/config.toml": "x = 1", ".codex/AGENTS.md": "mine" });
    const home = join(tempDir(), "codex-isolated");
    const env = { HOME, CODEX_HOME: join(HOME, ".codex") };
    const { args, names } = await call(codex, '"$CODEX_HOME"', { env }, { home });
    expect(names.toSorted()).toEqual(["auth.json", "config.toml"]);
    expect(readlinkSync(join(home, "auth.json"))).toBe(join(HOME, ".codex/auth.json"));
    expect(readFileSync(join(home, "config.toml"), "utf8")).toBe("");
    expect(args).toEqual(expect.arrayContaining(["--ignore-user-config", "--ignore-rules"]));
  });

  test("opencode: its settings are none, those of other programs as ever", async () => {
    const HOME = userHome({
      ".config/opencode/opencode.json": "{}",
      ".config/git/config": "",
      ".config/gh/hosts.yml": "",
    });
    const env = { HOME, OPENCODE_CONFIG: "/mine.json", OPENCODE_CONFIG_DIR: "/mine" };
    const seen = await call(opencode, '"$XDG_CONFIG_HOME"', { env });
    expect(seen.names.toSorted()).toEqual(["gh", "git"]);
    expect(Object.keys(seen.env)).not.toEqual(expect.arrayContaining(["OPENCODE_CONFIG"]));
    // Empty, it would mean the repository.
    expect(Object.keys(seen.env)).not.toEqual(expect.arrayContaining(["OPENCODE_CONFIG_DIR"]));
    expect(seen.env).toMatchObject({
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_DISABLE_CLAUDE_CODE: "1",
    });
    expect(existsSync(seen.env["XDG_CONFIG_HOME"] ?? "")).toBe(false);
    expect(readdirSync(join(HOME, ".config")).toSorted()).toEqual(["gh", "git", "opencode"]);
  });

  test("gemini: of its settings only the account, of its home only the login; its sessions stay", async () => {
    const settings = { security: { auth: { selectedType: "oauth" }, other: 1 }, mcpServers: { mine: {} } };
    const HOME = userHome({
      ".gemini/settings.json": JSON.stringify(settings),
      ".gemini/oauth_creds.json": "{}",
      ".gemini/GEMINI.md": "mine",
    });
    const home = join(tempDir(), "gemini-isolated");
    const seen = await call(gemini, '"$GEMINI_CLI_HOME"/.gemini', { env: { HOME } }, { home });
    expect(seen.names.toSorted()).toEqual(["oauth_creds.json", "settings.json", "tmp"]);
    expect(JSON.parse(seen.settings)).toEqual({ security: { auth: { selectedType: "oauth" } } });
    expect(lstatSync(join(home, "tmp")).isDirectory()).toBe(true);
  });

  test("qwen: of its settings the account and its models, in a home that stays", async () => {
    const settings = {
      security: { auth: { selectedType: "openai", apiKey: "k" } },
      modelProviders: { openai: [] },
      model: { name: "m", maxSessionTurns: 3 },
      hooks: {},
    };
    const HOME = userHome({ ".qwen/settings.json": JSON.stringify(settings), ".qwen/QWEN.md": "mine" });
    const home = join(tempDir(), "qwen-isolated");
    const seen = await call(qwen, '"$QWEN_HOME"', { env: { HOME } }, { home });
    expect([seen.env["QWEN_HOME"], seen.names]).toEqual([home, ["settings.json"]]);
    const { security, modelProviders } = settings;
    expect(JSON.parse(seen.settings)).toEqual({ security, modelProviders, model: { name: "m" } });
    expect(lstatSync(join(home, "settings.json")).mode & 0o777).toBe(0o600);
    // Who has changed his settings, or logged out, finds that here, too.
    rmSync(join(HOME, ".qwen/settings.json"));
    expect(JSON.parse((await call(qwen, '"$QWEN_HOME"', { env: { HOME } }, { home })).settings)).toEqual({
      security: {},
      model: {},
    });
  });

  test("copilot: its login, no instructions of anybody's", async () => {
    const HOME = userHome({
      ".copilot/config.json": "{}",
      ".copilot/settings.json": "{}",
      ".copilot/mcp-config.json": "{}",
    });
    const home = join(tempDir(), "copilot-isolated");
    const seen = await call(copilot, '"$COPILOT_HOME"', { env: { HOME } }, { home });
    expect([seen.names, seen.args.includes("--no-custom-instructions")]).toEqual([["config.json"], true]);
    const usual = await call(copilot, "/nowhere", { env: { HOME } }, { isolated: false });
    expect([usual.env["COPILOT_HOME"], usual.args.includes("--no-custom-instructions")]).toEqual([undefined, false]);
  });
});

describe("[EX91] what an agent obeys in a home of ours is made anew at each start", () => {
  /** Puts something of its own there, and then another attempt looks. */
  const after = async (profile: AgentProfile, variable: string, planted: string, options: Partial<AgentOptions>) => {
    const HOME = userHome({
      ".codex/AGENTS.md": "the user's",
      ".codex/config.toml": "a = 1",
      ".codex/auth.json": "{}",
    });
    const done = printing(transcripts[profile.kind] ?? []);
    const planting = stubAgent(profile, `cd "$${variable}" && { ${planted}; }\n${done}`, options);
    expect(await performWith(planting, { env: { HOME } })).toMatchObject({ outcome: "ran" });
    return await call(profile, `"$${variable}"`, { env: { HOME } }, { isolated: false, ...options });
  };

  test("codex: instructions, rules, hooks and plugins are the user's, or there are none", async () => {
    const home = join(tempDir(), "codex");
    const names = "AGENTS.override.md hooks.json .env managed_config.toml";
    const planted = `rm AGENTS.md; for name in AGENTS.md ${names}; do echo evil > $name; done
      mkdir -p skills/evil plugins/evil hooks rules; echo evil > skills/evil/SKILL.md; echo 'b = 2' >> config.toml`;
    const { names: found } = await after(codex, "CODEX_HOME", planted, { home });
    expect(found.toSorted()).toEqual(["AGENTS.md", "auth.json", "config.toml"]);
    expect(readFileSync(join(home, "AGENTS.md"), "utf8")).toBe("the user's");
    expect(readFileSync(join(home, "config.toml"), "utf8")).toBe("a = 1");
  });

  test("codex: what the user has takes the place of a directory; a login that was renewed there stays", async () => {
    const [home, HOME] = [join(tempDir(), "codex"), userHome({ ".codex/skills/mine/SKILL.md": "mine" })];
    mkdirSync(join(home, "skills/evil"), { recursive: true });
    writeFileSync(join(home, "auth.json"), "renewed");
    await call(codex, '"$CODEX_HOME"', { env: { HOME } }, { isolated: false, home });
    expect(readdirSync(join(home, "skills"))).toEqual(["mine"]);
    expect(readFileSync(join(home, "auth.json"), "utf8")).toBe("renewed");
  });

  test("isolated homes of the others", async () => {
    const isolated = (name: string) => ({ home: join(tempDir(), name), isolated: true });
    const qwens = await after(qwen, "QWEN_HOME", "echo evil > QWEN.md; mkdir -p hooks commands", isolated("qwen"));
    expect(qwens.names).toEqual(["settings.json"]);
    const planted = "echo '{}' > mcp-config.json; mkdir -p hooks agents sessions";
    const copilots = await after(copilot, "COPILOT_HOME", planted, isolated("copilot"));
    expect(copilots.names).toEqual(["sessions"]);
  });

  test("settings are never written through a link that lies there", async () => {
    const [home, victim] = [join(tempDir(), "codex"), join(tempDir(), "bashrc")];
    writeFileSync(victim, "mine");
    mkdirSync(home);
    for (const name of ["config.toml", `config.toml.${process.pid}`]) symlinkSync(victim, join(home, name));
    const HOME = userHome({ ".codex/config.toml": "a = 1" });
    await call(codex, '"$CODEX_HOME"', { env: { HOME } }, { isolated: false, home });
    expect([readFileSync(victim, "utf8"), readFileSync(join(home, "config.toml"), "utf8")]).toEqual(["mine", "a = 1"]);
  });
});

describe("[EX76] sessions are found again", () => {
  test("gemini's, although each call has a home of its own", async () => {
    const HOME = userHome({ ".gemini/oauth_creds.json": "{}" });
    const text = `mkdir -p "$GEMINI_CLI_HOME/.gemini/tmp/w" && date >> "$GEMINI_CLI_HOME/.gemini/tmp/w/chat"
      ${printing(transcripts["gemini"] ?? [])}`;
    for (const isolated of [false, true]) {
      const home = join(tempDir(), "gemini-isolated");
      const executor = stubAgent(gemini, text, { maxTurns: 5, isolated, home });
      for (const _ of [1, 2]) expect((await performWith(executor, { env: { HOME } })).outcome).toBe("ran");
      const kept = join(isolated ? home : join(HOME, ".gemini"), "tmp/w/chat");
      expect(readFileSync(kept, "utf8").trim().split("\n")).toHaveLength(2);
    }
  });

  test("codex's, in the home of ours", async () => {
    const home = join(tempDir(), "codex");
    const text = `mkdir -p "$CODEX_HOME/sessions"; date >> "$CODEX_HOME/sessions/s-1"\n${printing(transcripts["codex"] ?? [])}`;
    for (const _ of [1, 2]) await performWith(stubAgent(codex, text, { home }), { env: { HOME: tempDir() } });
    expect(readFileSync(join(home, "sessions/s-1"), "utf8").trim().split("\n")).toHaveLength(2);
  });
});
