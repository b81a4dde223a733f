import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { answerPermission } from "./permissions.ts";

const options: RequestPermissionRequest["options"] = [
  { optionId: "always", kind: "allow_always", name: "Always" },
  { optionId: "once", kind: "allow_once", name: "Once" },
  { optionId: "no", kind: "reject_once", name: "No" },
];
const asking = (toolCall: object, offered = options): RequestPermissionRequest => ({
  sessionId: "s-1",
  toolCall: { toolCallId: "t-1", ...toolCall },
  options: offered,
});
const inRead = (toolCall: object) => answerPermission(asking(toolCall), "read", "allow").outcome;
const command = (text: unknown) => ({ kind: "execute", title: "run", rawInput: { command: text } });
const once = { outcome: "selected", optionId: "once" };
const no = { outcome: "selected", optionId: "no" };

test("[EX63] once before always; where the agent offers no such answer, it is cancelled", () => {
  expect(answerPermission(asking({ kind: "edit" }), "write", "allow").outcome).toEqual(once);
  expect(answerPermission(asking({ kind: "edit" }, options.slice(0, 1)), "write", "allow").outcome).toEqual({
    outcome: "selected",
    optionId: "always",
  });
  const never = asking({ kind: "edit" }, options.slice(0, 2));
  expect(answerPermission(never, "write", "deny").outcome).toEqual({ outcome: "cancelled" });
});

describe("[EX64] whoever may only read", () => {
  test.each([
    "git diff",
    "git log --oneline -5 main..HEAD",
    " git  show HEAD:src/a.ts",
    ["git", "status"],
    "cat a",
    "npm run lint -- -q",
  ])("may run %j", (text) => {
    expect(inRead(command(text))).toEqual(once);
  });

  test.each([
    "git commit -am x",
    "git diff > x",
    "git diff\ntouch x",
    "git diff && touch x",
    "git diff $(touch x)",
    "git diff `touch x`",
    "git diff --output=x",
    "git log -p --outp x",
    "git diffs",
    "git -c a=b diff",
    "cat a > b",
    "find . -delete",
    "npm install left-pad",
    "npm tests",
    "",
    7,
    ["git", 7],
  ])("may not run %j", (text) => {
    expect(inRead(command(text))).toEqual(no);
  });

  test("reports with our own tools, however the agent calls them, and with nobody else's", () => {
    for (const title of ["pawl_complete", "mcp__pawl__complete", "mcp_pawl_fail", "complete (pawl MCP Server)"])
      expect(inRead({ kind: "other", title })).toEqual(once);
    expect(inRead({ name: "pawl-complete", title: "complete" })).toEqual(once);
    expect(inRead({ kind: "execute", title: "pawl_complete" })).toEqual(no);
    expect(inRead({ kind: "other", title: "mcp__files__write pawl_complete" })).toEqual(no);
    expect(inRead({ name: "files_write", title: "pawl_complete" })).toEqual(no);
  });

  test.each(["mcp__pawl-evil__write", "mcp__pawl_x__complete", "pawl: rm -rf", "pawl_write", "x (pawl MCP Server)"])(
    "[EX93] does not report with %j, of a server that is called nearly as ours",
    (name) => {
      expect(inRead({ kind: "other", name })).toEqual(no);
      expect(inRead({ kind: "other", title: name })).toEqual(no);
    },
  );

  test("looks, searches and fetches; what says nothing of itself is refused", () => {
    for (const kind of ["read", "search", "think", "fetch"]) expect(inRead({ kind, title: "x" })).toEqual(once);
    expect(inRead({})).toEqual(no);
  });
});

test("[EX65] the question names the tool and what it is for, in one line and not at length", () => {
  const question = (toolCall: object) => answerPermission(asking(toolCall), "write", "ask").question;
  expect(question({ ...command("npm\n publish"), title: "run a command" })).toBe(
    "run a command (execute): npm publish",
  );
  expect(question({ kind: "edit", title: "/w/a.ts", locations: [{ path: "/w/a.ts" }] })).toBe("/w/a.ts (edit)");
  expect(question({})).toBe("a tool");
  expect(question({ title: "x".repeat(5_000) })?.length).toBe(500);
  expect(question({ kind: "read" })).toBeNull();
});
