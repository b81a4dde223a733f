// How agents are called: what each program gets as arguments, environment and files.

import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import { performWith, printing, stubAgent } from "../../../test/support/stub-agents.ts";
import { transcripts } from "../../../test/support/transcripts.ts";
import { noUsage } from "../../domain/attempt.ts";
import { knownAgents } from "../agents.ts";
import { claude } from "../claude/claude.ts";
import { codex } from "../codex/codex.ts";
import { copilot } from "../copilot/copilot.ts";
import type { ExecutionEnd, ExecutorCall } from "../executor.ts";
import { gemini } from "../gemini/gemini.ts";
import { goose } from "../goose/goose.ts";
import { opencode } from "../opencode/opencode.ts";
import { qwen } from "../qwen/qwen.ts";
import type { AgentOptions } from "./agent-cli.ts";
import type { AgentProfile } from "./agent-profile.ts";

const everyAgent: readonly AgentProfile[] = [claude, codex, opencode, gemini, copilot, qwen, goose];
const warm = (session: string) => ({ session, spent: noUsage });
const mcp = { url: "http://127.0.0.1:4711/mcp/at-1", token: "very-secret-token" };

interface Seen {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Files that its arguments name, as they were while it ran. */
  readonly files: string;
  readonly end: ExecutionEnd;
  /** `--flag VALUE`. */
  value(flag: string): string | undefined;
}

async function call(
  profile: AgentProfile,
  changes: Partial<ExecutorCall> = {},
  options: Partial<AgentOptions> = {},
): Promise<Seen> {
  const dir = tempDir();
  const record = [
    `cat > '${dir}/stdin'`,
    `env -0 > '${dir}/env'`,
    `for arg; do printf '%s\\0' "$arg" >> '${dir}/args'; f="\${arg#@}"; case "$f" in *.json) test -f "$f" && ls -l "$f" && cat "$f";; esac; done > '${dir}/files' 2>&1`,
    `[ -z "$GEMINI_CLI_HOME" ] || cat "$GEMINI_CLI_HOME/.gemini/settings.json" >> '${dir}/files'`,
    printing(transcripts[profile.kind] ?? []),
  ].join("\n");
  const end = await performWith(stubAgent(profile, record, options), { prompt: "do it", ...changes });
  const fields = (name: string) => readFileSync(join(dir, name), "utf8").split("\0").slice(0, -1);
  const args = fields("args");
  const env = Object.fromEntries(
    fields("env").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const read = (name: string) => readFileSync(join(dir, name), "utf8");
  return { args, env, stdin: read("stdin"), files: read("files"), end, value: (flag) => args[args.indexOf(flag) + 1] };
}

/** For one test. */
function withVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
}

describe("[EX41] every agent gets what the call and the configuration say, in its own words", () => {
  test.each(everyAgent)("$kind: the prompt on stdin and nowhere else", async (profile) => {
    const seen = await call(profile, { prompt: "Add a dark mode." });
    expect(seen.end.outcome).toBe("ran");
    expect(seen.stdin).toBe("Add a dark mode.");
    expect(seen.args.join(" ")).not.toContain("dark mode");
  });

  test("claude", async () => {
    const asked = {
      model: "opus",
      effort: "high",
      resume: warm("s-7"),
      outside: ["/agents/dev"],
    };
    const { args } = await call(claude, asked, { model: "sonnet", maxTurns: 80, maxUsd: 2.5, args: ["--betas", "x"] });
    expect(args.join(" ")).toBe(
      "-p --output-format stream-json --verbose --permission-mode acceptEdits --allowedTools Bash,WebFetch,WebSearch " +
        "--model opus --effort high --max-turns 80 --max-budget-usd 2.5 --resume s-7 --add-dir /agents/dev --betas x",
    );
    expect((await call(claude)).args.slice(4)).toEqual([
      "--permission-mode",
      "acceptEdits",
      "--allowedTools",
      "Bash,WebFetch,WebSearch",
    ]);
  });

  test("codex", async () => {
    const cwd = tempDir();
    const { args, value } = await call(codex, { cwd, effort: "high", resume: warm("s-7") }, { model: "gpt-5.5" });
    expect(args.slice(0, 5)).toEqual(["exec", "--json", "--color", "never", "--skip-git-repo-check"]);
    expect([value("--sandbox"), value("--cd"), value("--model")]).toEqual(["workspace-write", cwd, "gpt-5.5"]);
    expect(args).toContain('model_reasoning_effort="high"');
    expect(args.slice(-3)).toEqual(["resume", "s-7", "-"]);
  });

  test("opencode", async () => {
    const asked = { model: "anthropic/opus", effort: "max", resume: warm("ses_7") };
    const { args, env } = await call(opencode, asked);
    expect(args.slice(0, 4)).toEqual(["run", "--format", "json", "--dir"]);
    expect(args.slice(5).join(" ")).toBe("--model anthropic/opus --variant max --session ses_7 --auto");
    const settings = JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "") as object;
    expect(settings).toEqual({ share: "disabled", autoupdate: false });
    expect((await call(opencode)).args.slice(-2)).toEqual(["--title", "pawl work"]);
  });

  test("gemini, qwen, copilot and goose", async () => {
    expect((await call(gemini, { model: "gemini-2.5-pro" })).args.join(" ")).toBe(
      "--output-format stream-json --approval-mode yolo --model gemini-2.5-pro",
    );
    expect((await call(qwen, {}, { maxTurns: 50 })).args.join(" ")).toBe(
      "--output-format stream-json --approval-mode yolo --max-session-turns 50",
    );
    const { args } = await call(copilot, { resume: warm("s-7"), effort: "low" });
    expect(args).toEqual(expect.arrayContaining(["--allow-all-tools", "--no-ask-user", "--resume=s-7", "low"]));
    const played = await call(goose, { model: "gpt-5.5" }, { maxTurns: 50 });
    expect(played.args.slice(-4)).toEqual(["--output-format", "stream-json", "--max-turns", "50"]);
    expect(played.env).toMatchObject({ GOOSE_MODE: "auto", GOOSE_MODEL: "gpt-5.5" });
  });

  test("gemini's turn limit is a setting: it gets a home that leads to the user's own", async () => {
    const home = tempDir();
    mkdirSync(join(home, ".gemini"));
    writeFileSync(join(home, ".gemini/oauth_creds.json"), "{}");
    writeFileSync(join(home, ".gemini/settings.json"), '{ // mine\n "security": {"auth": {"selectedType": "x//y"}} }');
    const { env, files } = await call(gemini, { env: { HOME: home } }, { maxTurns: 9 });
    expect(JSON.parse(files)).toEqual({ security: { auth: { selectedType: "x//y" } }, model: { maxSessionTurns: 9 } });
    expect(env["GEMINI_CLI_HOME"]).not.toBe(home);
    expect(existsSync(env["GEMINI_CLI_HOME"] ?? "")).toBe(false);
    expect(existsSync(join(home, ".gemini/oauth_creds.json"))).toBe(true);
  });

  test("what an agent does not have is left out and noted", async () => {
    const { end, args } = await call(goose, { effort: "high", resume: warm("s-7") });
    expect(end.notes).toEqual([
      "Goose has no levels of effort: high was left out",
      "Goose cannot resume that session, so it started a new one",
    ]);
    expect(args).not.toContain("s-7");
  });

  test("neither a session nor a model becomes an argument of its own", async () => {
    const { args, end } = await call(claude, { resume: warm("--dangerously-skip-permissions") });
    expect(args).not.toContain("--resume");
    expect(end.notes).toEqual(["Claude Code cannot resume that session, so it started a new one"]);
    const wrong = await performWith(stubAgent(claude, ""), { model: "--help" });
    expect(wrong).toMatchObject({ outcome: "failed", why: expect.stringContaining('"--help"') });
  });
});

describe("[EX42] whoever may only read", () => {
  test("claude: nothing is asked, only reading is allowed, writing is denied by name", async () => {
    const { value, args } = await call(claude, { access: "read", outside: ["/agents/dev"] });
    expect(value("--permission-mode")).toBe("dontAsk");
    expect(value("--allowedTools")).toMatch(/^Read,Grep,Glob,LS,Bash\(git diff:\*\),(?:Bash\([a-z0-9./ -]+:\*\),?)+$/i);
    expect(value("--allowedTools")).toContain(",Bash(cat:*),");
    expect(value("--allowedTools")).not.toMatch(/Bash\((?:find|sort|rm|git commit|sh|bash|npm install)\b/);
    expect(value("--disallowedTools")).toBe("Edit,Write,NotebookEdit");
    expect(args).not.toContain("--add-dir");
  });

  test("codex: its sandbox; opencode: its permissions; gemini, qwen and copilot: without approval", async () => {
    const read = { access: "read" } as const;
    const codexCall = await call(codex, read);
    expect([codexCall.value("--sandbox"), codexCall.args.includes("--add-dir")]).toEqual(["read-only", false]);
    const settings = JSON.parse((await call(opencode, read)).env["OPENCODE_CONFIG_CONTENT"] ?? "") as object;
    expect(settings).toMatchObject({
      permission: { "*": "deny", read: "allow", bash: { "*": "deny", "git diff*": "allow" } },
    });
    expect((await call(gemini, read)).value("--approval-mode")).toBe("default");
    expect((await call(qwen, read)).value("--approval-mode")).toBe("default");
    const { args } = await call(copilot, read);
    expect(args).toEqual(expect.arrayContaining(["--deny-tool=write", "--allow-tool=shell(git diff:*)"]));
    expect(args).not.toContain("--allow-all-tools");
  });

  test("[EX87] may run the commands of the project beside git's, where the agent has a list of them", async () => {
    const read = { access: "read", commands: ["npm test", "just lint"] } as const;
    expect((await call(claude, read)).value("--allowedTools")).toMatch(/,Bash\(npm test:\*\),.*,Bash\(just lint:\*\)$/);
    const settings = JSON.parse((await call(opencode, read)).env["OPENCODE_CONFIG_CONTENT"] ?? "") as object;
    expect(settings).toMatchObject({ permission: { bash: { "npm test*": "allow", "just lint*": "allow" } } });
    expect((await call(copilot, read)).args).toContain("--allow-tool=shell(npm test:*)");
    const written = await call(claude, { ...read, access: "write" });
    expect(written.value("--allowedTools")).not.toContain("npm test");
  });

  test("the call cannot give what the configuration took away", async () => {
    const { value } = await call(claude, { access: "write" }, { access: "read" });
    expect(value("--permission-mode")).toBe("dontAsk");
  });

  test("an agent that cannot be kept from writing is not started", async () => {
    const end = await performWith(stubAgent(goose, "touch /nowhere"), { access: "read" });
    expect(end).toMatchObject({
      outcome: "failed",
      why: expect.stringMatching(/^Goose cannot be kept from writing, .+\(/),
    });
  });
});

describe("[EX43] the environment of an agent", () => {
  test.each(everyAgent)("$kind sees its own keys, what is allowed by name, and no other secret", async (profile) => {
    const [key = ""] = profile.keys;
    withVariables({ MY_SECRET: "hunter2", MY_TOKEN: "allowed", [key]: "own" });
    const { env } = await call(profile, {}, { env: ["MY_TOKEN"] });
    expect(env).toMatchObject({ [key]: "own", MY_TOKEN: "allowed", CI: "1", NO_COLOR: "1" });
    expect(JSON.stringify(env)).not.toContain("hunter2");
  });

  test("none updates itself while it works", async () => {
    expect((await call(claude)).env).toMatchObject({ DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_MAX_RETRIES: "4" });
    expect((await call(opencode)).env).toMatchObject({ OPENCODE_DISABLE_AUTOUPDATE: "1" });
    expect((await call(copilot)).args).toContain("--no-auto-update");
  });

  test("codex's commands see the marker and not its keys", async () => {
    const { args } = await call(codex);
    expect(args).toContain('shell_environment_policy.inherit="all"');
    expect(args).toContain('shell_environment_policy.exclude=["OPENAI_API_KEY","CODEX_API_KEY","PAWL_MCP_TOKEN"]');
  });
});

describe("[EX44] our own tools", () => {
  test.each([claude, qwen, copilot])(
    "$kind: in a file that only its owner reads, and that is gone afterwards",
    async (profile) => {
      const { args, files, env } = await call(profile, { mcp });
      expect(files).toMatch(/^-rw-------/);
      expect(files).toContain(JSON.stringify(mcp.url));
      expect(files).toContain('"Authorization":"Bearer very-secret-token"');
      const [file = ""] = args.map((arg) => arg.replace(/^@/, "")).filter((arg) => arg.endsWith("mcp.json"));
      expect([file === "", existsSync(file)]).toEqual([false, false]);
      expect(args.join(" ") + JSON.stringify(env)).not.toContain(mcp.token);
    },
  );

  test.each(knownAgents)("$kind: no argument has the token, whatever the call is", async ({ profile }) => {
    const agent = await profile();
    for (const changes of [{}, { model: "m", resume: warm("s-7"), system: "You review." }]) {
      const { args, end } = await call(agent, { mcp, env: { HOME: tempDir() }, ...changes }, { maxTurns: 5 });
      expect([end.outcome, args.length > 0]).toEqual(["ran", true]);
      expect(args.join(" ")).not.toContain(mcp.token);
    }
    // Over ACP the token is in a message, and the arguments do not depend on the call.
    expect(agent.acpServer?.args.join(" ") ?? "").not.toContain(mcp.token);
  });

  test("goose: by a program that is called pawl, whose files are gone afterwards", async () => {
    const { value, files } = await call(goose, { mcp });
    const command = value("--with-extension") ?? "";
    expect(command).toMatch(/^\/\S+\/pawl \/\S+\/bridge\.mjs \/\S+\/mcp\.json$/);
    expect(command.split(" ").filter((file) => existsSync(file))).toEqual([]);
    expect(files).not.toContain(mcp.token);
  });

  test("claude keeps the user's own tools, and may call ours, also when it may only read", async () => {
    const { args, value } = await call(claude, { mcp, access: "read" });
    expect(args).not.toContain("--strict-mcp-config");
    expect(value("--allowedTools")).toMatch(/,mcp__pawl$/);
  });

  test("codex, opencode and gemini: not among the arguments", async () => {
    const called = await call(codex, { mcp });
    expect(called.args).toContain(`mcp_servers.pawl.url=${JSON.stringify(mcp.url)}`);
    expect(called.args).toContain('mcp_servers.pawl.bearer_token_env_var="PAWL_MCP_TOKEN"');
    expect(called.env["PAWL_MCP_TOKEN"]).toBe(mcp.token);
    expect(called.args.join(" ")).not.toContain(mcp.token);
    const settings = (await call(opencode, { mcp })).env["OPENCODE_CONFIG_CONTENT"] ?? "";
    expect(JSON.parse(settings)).toMatchObject({ mcp: { pawl: { type: "remote", url: mcp.url } } });
    const geminiCall = await call(gemini, { mcp, env: { HOME: tempDir() } });
    expect(JSON.parse(geminiCall.files)).toMatchObject({ mcpServers: { pawl: { httpUrl: mcp.url, trust: true } } });
    expect(geminiCall.args.join(" ")).not.toContain(mcp.token);
  });
});

describe("[EX45] codex works beside the user's own settings", () => {
  function userHome(): string {
    const home = tempDir();
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex/auth.json"), '{"tokens":{}}');
    writeFileSync(join(home, ".codex/config.toml"), 'model = "gpt-5.5"\n');
    return home;
  }

  test("with his login and a copy of his settings, in a home of ours", async () => {
    const [theirs, ours] = [userHome(), join(tempDir(), "codex")];
    const perform = () => call(codex, { env: { HOME: theirs } }, { home: ours });
    const { env } = await perform();
    expect(env["CODEX_HOME"]).toBe(ours);
    expect(readlinkSync(join(ours, "auth.json"))).toBe(join(theirs, ".codex/auth.json"));
    expect(readFileSync(join(ours, "config.toml"), "utf8")).toBe('model = "gpt-5.5"\n');
    writeFileSync(join(ours, "config.toml"), '[projects."/a"]\n');
    rmSync(join(theirs, ".codex/auth.json"));
    await perform();
    expect(readFileSync(join(ours, "config.toml"), "utf8")).toBe('model = "gpt-5.5"\n');
    expect(lstatSync(join(ours, "auth.json"), { throwIfNoEntry: false })).toBeUndefined();
    expect(lstatSync(join(theirs, ".codex/config.toml")).isFile()).toBe(true);
  });

  test("or in the one that the configuration hands on", async () => {
    const theirs = tempDir();
    withVariables({ CODEX_HOME: theirs });
    expect((await call(codex, {}, { env: ["CODEX_HOME"] })).env["CODEX_HOME"]).toBe(theirs);
  });

  test("its sandbox opens what a commit in a worktree writes, and neither hooks nor settings", async () => {
    const repo = makeRepository();
    const cwd = join(tempDir(), "tree");
    runGit(repo, "worktree", "add", "--quiet", cwd, "-b", "work");
    const { args } = await call(codex, { cwd, outside: ["/shared"] });
    const opened = args.flatMap((arg, index) => (args[index - 1] === "--add-dir" ? [arg] : []));
    const git = join(repo, ".git");
    expect(opened).toEqual([
      "/shared",
      ...["worktrees/tree", "objects", "refs", "logs"].map((name) => join(git, name)),
    ]);
  });
});
