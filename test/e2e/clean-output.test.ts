// Every command, with hostile text in everything that it is given and in everything that it shows: no control character comes out.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { loaders } from "../../src/cli/loaders.ts";
import { main } from "../../src/cli/main.ts";
import { Console } from "../../src/cli/output/console.ts";
import { expectCode, newSite, type Site, writeAt } from "../support/pawl.ts";
import { runGit } from "../support/repository.ts";

const evil = "x\u001b]0;PWNED\u0007\u001b[2J\u009b31m\u202ertl\rOVER\u0085";
/** Anything but tabs and line ends. */
const raw = /(?![\t\n])[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

let site: Site;
/** What the commands that made the runs printed. */
const ran: string[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The command in this process, as one that ends. */
async function called(args: readonly string[]): Promise<string> {
  let said = "";
  const take = (chunk: string | Uint8Array) => {
    said += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("latin1");
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(take);
  vi.spyOn(process.stderr, "write").mockImplementation(take);
  try {
    await main(args);
  } finally {
    vi.restoreAllMocks();
  }
  return said;
}

interface Leaf {
  readonly words: readonly string[];
  readonly command: Command;
}

/** Every command that commander knows, however deep. */
async function allCommands(): Promise<readonly Leaf[]> {
  const leaves: Leaf[] = [];
  const walk = (command: Command, words: readonly string[]) => {
    if (command.commands.length === 0) leaves.push({ words, command });
    for (const nested of command.commands) walk(nested, [...words, nested.name()]);
  };
  for (const load of new Set(loaders.values())) {
    const program = new Command();
    (await load()).define(program, new Console(false));
    for (const command of program.commands) walk(command, [command.name()]);
  }
  return leaves.filter(({ words }, index) => leaves.findIndex((leaf) => leaf.words.join() === words.join()) === index);
}

beforeAll(async () => {
  site = newSite();
  const story = { id: "US-001", title: `T ${evil}`, description: evil, acceptanceCriteria: [evil], passes: false };
  writeAt(site, "prd.json", JSON.stringify({ project: `P ${evil}`, userStories: [story] }));
  writeAt(
    site,
    "agent.sh",
    `cat > /dev/null\nprintf '%s\\n' "$EVIL" >&2; printf 'out %s\\n\\nSUMMARY\\nok %s\\n' "$EVIL" "$EVIL"; exit 3\n`,
  );
  writeAt(site, "home/config.yml", `executors:\n  evil: { command: [sh, ${site.path("agent.sh")}], env: [EVIL] }\n`);
  const workflow = `pawl: 1\nid: small\nname: ${JSON.stringify(evil)}\nagents: { worker: {} }\nsteps:\n  - { id: ask, gate: ${JSON.stringify(`Sure? ${evil}`)} }\n  - { id: work, agent: worker }\n`;
  writeAt(site, "small.yml", workflow);
  runGit(site.repo, "checkout", "--quiet", "-b", "ev\u202eil");
  vi.stubEnv("EVIL", evil);
  for (const [name, value] of Object.entries({ PAWL_HOME: site.home, HOME: site.home, GIT_CONFIG_NOSYSTEM: "1" }))
    vi.stubEnv(name, value);
  vi.spyOn(process, "cwd").mockReturnValue(site.repo);
  ran.push(await called(["prd", "run", site.path("prd.json"), "--agents", "1", "--executor", "evil"]));
  vi.spyOn(process, "cwd").mockReturnValue(site.repo);
  ran.push(await called(["run", site.path("small.yml"), `task ${evil}`, "--executor", "evil"]));
});

/** They read stdin until its end, perform a whole run of their own, or look again until they are stopped. */
const asProcess = new Set(["mcp", "demo", "watch", "up", "worker"]);

test("[CM80] no command prints a control character from what it is given, or from what it shows", async () => {
  const commands = await allCommands();
  expect(commands.length).toBeGreaterThan(40);
  expect(ran[0]).toMatch(/\\u202e/);
  const bad = ran.filter((said) => raw.test(said));
  for (const { words, command } of commands) {
    if (asProcess.has(words.at(-1) ?? "")) continue;
    const given = (value: string) => command.registeredArguments.map(() => value);
    const options = command.options.filter((option) => option.required && option.long !== "--store");
    const calls = [
      [...words, ...given(evil)],
      [...words, ...given("1")],
      [...words, ...given("1"), "--json"],
      ...(words[0] === "prd" ? [[...words, ...given(site.path("prd.json"))]] : []),
      [...words, ...given("1"), ...options.flatMap((option) => [option.long ?? "", evil])],
    ];
    for (const args of calls) {
      vi.stubEnv("PAWL_HOME", site.home);
      vi.stubEnv("HOME", site.home);
      vi.spyOn(process, "cwd").mockReturnValue(site.repo);
      Object.defineProperty(process.stdin, Symbol.asyncIterator, { value: async function* () {}, configurable: true });
      if (raw.test(await called(args))) bad.push(JSON.stringify(args));
    }
  }
  expect(bad).toEqual([]);
});

test("[CM80] neither do configuration keys, names of files and branches, or the commands that are processes; `logs --raw` does", async () => {
  const logs = await site.pawl("logs", "1", "--raw");
  expectCode(logs, 0);
  expect(logs.stdout).toContain("\u001b]0;PWNED\u0007");
  for (const text of ['"nons\\e[31mense": 1\n', "nonsense\u001b[31m: 1\n"]) {
    mkdirSync(join(site.repo, ".pawl"), { recursive: true });
    writeFileSync(join(site.repo, ".pawl/config.yml"), text);
    const refused = await site.pawl("run", site.path("small.yml"), "t");
    expectCode(refused, 2);
    expect(refused.stderr + refused.stdout).not.toMatch(raw);
  }
  const up = await site.pawl("up", "--host", evil);
  expectCode(up, 2);
  expect(up.stdout + up.stderr).not.toMatch(raw);
  const mcp = await site.pawl("mcp", "--store", `sqlite:${site.path("x")}`);
  expect(mcp.stdout + mcp.stderr).not.toMatch(raw);
});
