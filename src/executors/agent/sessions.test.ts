// How a person opens a session of an agent's.

import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { agentOf, agents } from "../../../test/support/agents.ts";
import { shellWord } from "../../system/process/words.ts";
import { openCommand, shownSession } from "./sessions.ts";

const id = "0f8e2a51-6c1d-4f5e-9a3b-7d2c1e4b5a60";
const place = { cwd: "/trees/k3", isolated: false, home: "/state/pawl/x" };

describe("[CM66] the command that opens a session", () => {
  test.each([
    ["claude", `cd /trees/k3 && claude --resume ${id}`],
    ["codex", `cd /trees/k3 && CODEX_HOME=/state/pawl/x codex resume ${id}`],
    ["opencode", `cd /trees/k3 && opencode -s ${id}`],
    ["gemini", `cd /trees/k3 && gemini --resume ${id}`],
    ["copilot", `cd /trees/k3 && copilot --resume=${id}`],
    ["qwen", `cd /trees/k3 && qwen --resume ${id}`],
    ["goose", null],
  ] as const)("%s", (kind, line) => {
    expect(openCommand(agentOf(kind), id, { ...place, program: kind })).toBe(line);
  });

  test.each([
    ["claude", `claude --resume ${id}`],
    ["codex", `CODEX_HOME=/h codex resume ${id}`],
    ["opencode", `opencode -s ${id}`],
    ["gemini", null],
    ["copilot", `COPILOT_HOME=/h copilot --resume=${id}`],
    ["qwen", `QWEN_HOME=/h qwen --resume ${id}`],
    ["goose", null],
  ] as const)(
    "of %s, isolated: some have a home of ours, or a session that cannot be found from outside",
    (kind, line) => {
      const isolated = { cwd: null, program: kind, isolated: true, home: "/h" };
      expect(openCommand(agentOf(kind), id, isolated)).toBe(line);
    },
  );

  test("without a tree there is no cd; the program is the one that is configured", () => {
    expect(openCommand(agentOf("claude"), id, { ...place, cwd: null, program: "/opt/my agents/claude" })).toBe(
      `'/opt/my agents/claude' --resume ${id}`,
    );
  });
});

describe("[CM67] what an agent calls its session", () => {
  test.each(["", "-p", "a b", "a;id", "$(id)", "`id`", "a\nb", "../x", "x/y", "\u001b[2J", "a'b", "x".repeat(65)])(
    "%j is no id: it is not shown, and no command has it",
    (session) => {
      expect(shownSession(session)).toBeNull();
      for (const kind of agents.kinds)
        expect(openCommand(agentOf(kind), session, { ...place, program: kind })).toBeNull();
    },
  );

  test.each([id, "ses_4f2a9bC0ffeEbd1eXyz12345"])("%s is one", (session) => {
    expect(shownSession(session)).toBe(session);
  });

  test("a directory with any name is one word of the shell", () => {
    const line =
      openCommand(agentOf("claude"), id, { ...place, cwd: "/tmp/it's $(id) `x`\n; &", program: "echo" }) ?? "";
    const printed = execFileSync("sh", ["-c", `printf '%s|' ${line.replace(/^cd /, "").replace(" && ", " ")}`]);
    expect(printed.toString()).toBe(`/tmp/it's $(id) \`x\`\n; &|echo|--resume|${id}|`);
    expect(shellWord("")).toBe("''");
  });
});
