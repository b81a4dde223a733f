// Live lines, `pawl watch` and `pawl logs` in a real terminal, with four agents at work. The screens of the guide are those of this
// test: `PAWL_SCREENS=write` writes them, and without it they are compared.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { agentsOnPath } from "../support/agents-on-path.ts";
import { expectCode, newSite, type Site, writeAt } from "../support/pawl.ts";
import { hasTmux, newTerminal, type PaneOptions } from "../support/tmux.ts";

const program = fileURLToPath(new URL("../../bin/pawl", import.meta.url));
const guide = fileURLToPath(new URL("../../docs/guides/terminal.md", import.meta.url));

const workflow = `pawl: 1
id: review
agents: { reviewer: {} }
steps:
  - { id: review, agent: reviewer, access: read, parts: [security, speed, style, tests], input: "Review it." }
  - { id: merge, gate: "Four reviewers agree. Merge it?" }
`;

const message = (id: string, content: object, tokens: number) => ({
  type: "assistant",
  message: { id, content: [content], usage: { input_tokens: tokens, output_tokens: 40 } },
});
const says = (text: string) => ({ type: "text", text });
const uses = (name: string, input: object) => ({ type: "tool_use", id: "t", name, input });
const gets = (content: string, isError = false) => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: "t", content, is_error: isError }] },
});

const work: Readonly<Record<string, readonly object[]>> = {
  security: [
    message("a", says("I look for places where input reaches a shell."), 1_200),
    message("a", uses("Grep", { pattern: "exec\\(", path: "src" }), 1_200),
    gets("src/run.ts:12: exec(command)"),
    message("b", uses("Read", { file_path: "src/run.ts" }), 3_400),
  ],
  speed: [
    message("a", uses("Bash", { command: "npm run bench" }), 2_000),
    gets("Exit code 1\nbench: not found", true),
    message("b", uses("Bash", { command: "npm test -- --reporter=verbose" }), 2_600),
  ],
  style: [
    message("a", uses("Edit", { file_path: "README.md", old_string: "# a project", new_string: "# A project" }), 900),
    gets("ok"),
    message("b", says("日本語のコメントを読んでいます。"), 1_500),
  ],
  tests: [message("a", says("Reading the tests first."), 700)],
};

/** Prints the work of its part, waits for the file `release`, and ends. A wait that is not ended ends by itself. */
function reviewer(): string {
  const cases = Object.entries(work).map(([part, events]) => {
    const all = [{ type: "system", subtype: "init", session_id: "s", model: "claude-opus-5-5" }, ...events];
    return `${part}) cat <<'EVENTS'\n${all.map((event) => JSON.stringify(event)).join("\n")}\nEVENTS\n;;`;
  });
  const result = {
    type: "result",
    is_error: false,
    result: "STATUS: done",
    total_cost_usd: 0.02,
    usage: { input_tokens: 4_000, output_tokens: 300 },
  };
  return `cat > /dev/null\ncase "$PAWL_PART" in\n${cases.join("\n")}\nesac
tries=0; while [ ! -e "$HOME/release" ] && [ $tries -lt 3000 ]; do tries=$((tries+1)); sleep 0.1; done
echo '${JSON.stringify(result)}'`;
}

/** Times differ from one day to the next; so does the number of blanks before them. */
const normal = (screen: string) =>
  screen
    .split("\n")
    .map((line) =>
      line
        .replaceAll(/\b(?:\d+h\d\dm|\d+m\d\ds|\d+s)\b/g, "TIME")
        .replaceAll(/[⠋⠙⠸⠴⠦⠇]/g, "*")
        .replace(/^(Run #1 )\(\w+\)$/, "$1(ID)")
        .replaceAll(/ {2,}/g, " ")
        .trimEnd(),
    )
    .join("\n");

/** The text block behind `<!-- screen NAME -->` in the guide. */
function expectScreen(name: string, screen: string): void {
  const text = readFileSync(guide, "utf8");
  const block = new RegExp(`(<!-- screen ${name} -->\\n+\`\`\`text\\n)([^]*?)(\`\`\`)`);
  const isWriting = process.env["PAWL_SCREENS"] === "write";
  if (isWriting)
    writeFileSync(
      guide,
      text.replace(block, (_, begin: string, __, end: string) => `${begin}${screen}\n${end}`),
    );
  const written = isWriting ? screen : block.exec(text)?.[2]?.trimEnd();
  expect(normal(screen)).toBe(normal(written ?? `there is no screen ${name} in the guide`));
}

function scene(): { readonly site: Site; readonly env: PaneOptions["env"]; readonly pawl: string; release(): void } {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("claude", "2.1.325", reviewer());
  const env = {
    ...agents.env,
    HOME: site.home,
    PAWL_HOME: site.home,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  return {
    site,
    env,
    pawl: `'${process.execPath}' '${program}'`,
    release: () => writeFileSync(join(site.home, "release"), ""),
  };
}

const fourAtWork = /security.*Read src\/run\.ts[^]*speed.*npm test[^]*style.*読ん[^]*tests.*Reading the tests/;

test.skipIf(!hasTmux)(
  "[TE11 TE12 TE13 TE14 TE15 TE16] four agents in a real terminal: live lines, watch, logs, on resizing, until a person has answered",
  async () => {
    const { site, env, pawl, release } = scene();
    const file = writeAt(site, "review.yml", workflow);
    const terminal = newTerminal();
    const small = { columns: 80, rows: 24, cwd: site.repo, env };

    const live = terminal.open(`${pawl} run '${file}' 'Review the parser'; echo "left with $?"; exec cat`, small);
    expectScreen("live-80x24", await live.shows(fourAtWork));
    live.resize(60, 20);
    live.resize(200, 50);
    await live.shows(/Read src\/run\.ts {80}/);
    const wide = await live.shows(fourAtWork);
    expect(wide.match(/▶ review/g)).toHaveLength(4);
    expect(wide.match(/ 4 agents /g)).toHaveLength(1);
    expect(wide.match(/Read src\/run\.ts/g)).toHaveLength(1);
    expectScreen("live-200x50", wide);

    const watch = terminal.open(`${pawl} watch; echo "left with $?"; exec cat`, small);
    expectScreen("watch-80x24", await watch.shows(fourAtWork));
    watch.resize(20, 5);
    expect((await watch.shows("0 for you")).split("\n").length).toBeLessThanOrEqual(5);
    watch.resize(200, 50);
    await watch.shows(/Read src\/run\.ts {80}/);
    expectScreen("watch-200x50", await watch.shows(fourAtWork));
    watch.resize(80, 24);
    await watch.shows(fourAtWork);
    watch.press("Enter");
    await watch.shows(/review +running/);
    watch.press("q", "?");
    await watch.shows("what its agents did");
    watch.press("q", "l");
    expectScreen("watch-logs-80x24", await watch.shows(/│ Reading the tests first\./));
    watch.press("q");

    release();
    await live.shows(/left with 3/);
    await watch.shows(/NEEDS YOU[^]*\? merge: Four reviewers agree/);
    watch.press("a");
    await watch.shows(/› approve/);
    watch.press("Tab", "well done", "Tab", "Enter");
    expectScreen("answer-80x24", await watch.shows(/note: well done[^]*Answer "approve"\?/));
    watch.press("y");
    await watch.shows(/RECENT[^]*✓ #1 review/);
    watch.press("q");
    expect(await watch.shows("left with 0")).not.toContain("RECENT");
    expect((await site.status()).run.status).toBe("done");

    const logs = terminal.open(`${pawl} logs 1; exec cat`, { ...small, rows: 50 });
    expectScreen("logs-80x50", await logs.shows(/✓ ended[^]*✓ ended[^]*✓ ended[^]*✓ ended/));
  },
);

test.skipIf(!hasTmux)(
  "[TE11 TE12] Ctrl-C while agents work: what is said about it stays, and no live line",
  async () => {
    const { site, env, pawl } = scene();
    const file = writeAt(site, "review.yml", workflow);
    const size = { columns: 80, rows: 24, cwd: site.repo, env };
    const command = `trap : INT; ${pawl} run '${file}' 'Review the parser'; echo "left with $?"; exec cat`;
    const live = newTerminal().open(command, size);
    await live.shows(fourAtWork);
    live.press("C-c");
    const screen = await live.shows("left with 130");
    expect(screen).toContain("Stopping the running attempts");
    expect(screen).not.toMatch(/4 agents|\^C/);
    expect(screen).not.toContain("Read src/run.ts");
  },
);

test.skipIf(!hasTmux)(
  "[TE13 TE17 TE18] the terminal is given back on Ctrl-Z, Ctrl-C and SIGTERM; colours only without NO_COLOR; once as text with TERM=dumb",
  async () => {
    const { site, env, pawl } = scene();
    const { NO_COLOR: _, ...coloured } = env;
    const size = { columns: 80, rows: 24, cwd: site.repo, env: { ...coloured, PS1: "shell> " } };
    const shell = newTerminal().open("exec bash --norc -i", size);
    const typed = (line: string) => shell.press(line, "Enter");
    typed(`alias pawl="${pawl}"`);
    typed("pawl watch");
    await shell.shows(/^ {2}There is no run yet[^]*q quit$/m);
    expect(shell.colours()).toContain("\u001b[1m");
    shell.press("C-z");
    expect(await shell.shows("Stopped")).not.toContain("There is no run yet");
    typed("fg");
    await shell.shows(/There is no run yet[^]*q quit$/m);
    shell.press("C-c");
    await shell.shows(/shell>$/);
    expect(shell.screen()).not.toContain("There is no run yet");

    typed("NO_COLOR=1 pawl watch");
    await shell.shows("There is no run yet");
    expect(shell.colours()).not.toContain("\u001b[1m");
    shell.press("C-z");
    await shell.shows(/Stopped[^]*Stopped/);
    typed("kill -TERM %1; fg; echo ended with $?");
    expect(await shell.shows("ended with 130")).not.toContain("There is no run yet");

    typed("clear; TERM=dumb pawl watch; echo printed with $?");
    await shell.shows(/There is no run yet[^]*printed with 0/);
  },
);

test("[TE17] without a terminal, watch prints the runs once, and one document with --json", async () => {
  const { site } = scene();
  const asking = writeAt(
    site,
    "ask.yml",
    'pawl: 1\nid: ask\nagents: { dev: {} }\nsteps: [{ id: merge, gate: "Merge\\e[2J it?" }]\n',
  );
  expectCode(await site.pawl("run", asking, "a task", "--executor", "command: true"), 3);
  const { stdout } = await site.pawl("watch");
  expect(stdout).toMatch(
    /^pawl · 1 for you · 0 working · 0 agents\nNEEDS YOU\n\? #1 ask: a task +held · \d+s\n {4}\? merge: Merge\\u001b\[2J it\?\n$/,
  );
  expect(await site.json(["watch"])).toMatchObject({
    needsYou: [{ number: 1, need: { kind: "gate", options: ["approve", "reject"] } }],
    working: [],
  });
});
