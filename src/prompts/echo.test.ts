import { describe, expect, test } from "vitest";
import type { AgentStep } from "../domain/definition.ts";
import { agentName, stepName } from "../domain/ids.ts";
import { isExample, type Told, withoutEcho } from "./echo.ts";
import { readGiven, readReport } from "./report.ts";

describe("[PR35] what was asked for counts, although it stands in the prompt", () => {
  const told = (written: string, text = written): Told => ({ text, written });

  test.each([
    ["the line alone", "STATUS: done"],
    ["with values that are not the workflow's words", "STATUS: done\nREPO: /home/me/my project of sums\nBRANCH: a"],
    ["with a short value as it was shown", "STATUS: done\nPR: none"],
  ])("%s", (_, answer) => {
    const written = "Do it.\n\nReply with:\nSTATUS: done\nREPO: {{repo}}\nBRANCH: {{branch}}\nPR: none\n";
    const text = written.replace("{{repo}}", "/home/me/my project of sums").replace("{{branch}}", "a");
    expect(withoutEcho(answer, told(written, text))).toMatchObject({ text: answer });
  });

  test("an issue of the last review may be repeated", () => {
    const written =
      "Review it. Earlier issues:\n{{review_issues}}\n\nReply with:\nSTATUS: retry\nISSUES:\n- what is wrong";
    const issue = "- the sum of two large numbers is wrong, and no test shows it";
    const answer = `STATUS: retry\nISSUES:\n${issue}`;
    expect(withoutEcho(answer, told(written, written.replace("{{review_issues}}", issue))).text).toBe(answer);
  });

  test("[PR38] a line that is asked for in a sentence may be said word by word", () => {
    const written =
      "Fix it.\nIf no findings match, output STATUS: skipped — no findings for this domain.\nCommit it then.";
    const answer = "STATUS: skipped — no findings for this domain.";
    expect(withoutEcho(answer, told(written)).text).toBe(answer);
    expect(withoutEcho(`I looked.\n${answer}`, told(written)).text).toContain(answer);
  });

  test("a text that is expected may be said as it was asked for", () => {
    const written = "When all is good, say: all of the tests are green now";
    expect(withoutEcho("all of the tests are green now", told(written)).text).toBe("all of the tests are green now");
  });
});

describe("[PR35] a short prompt, an example, a tool", () => {
  const written = "Check it.\n\nReply with:\nSTATUS: done\nCHANGES: what you changed, and in which files\n";
  const told: Told = { text: written, written };
  const simple: AgentStep = {
    kind: "agent",
    name: stepName("work"),
    agent: agentName("dev"),
    title: "",
    input: written,
    produces: null,
    decide: null,
    expects: "STATUS: done",
    on: {},
    onError: { route: { to: "again" }, limit: null },
    budget: null,
    checks: [],
    wallMs: null,
    quietMs: null,
  };

  test("all of a short prompt is an echo, and so is an example that was left as it is", () => {
    for (const answer of [
      written,
      "Reply with:\nSTATUS: done",
      "STATUS: done\nCHANGES: what you changed, and in which files",
    ])
      expect([answer, readReport(simple, answer, [], told)]).toMatchObject([answer, { outcome: "invalid_output" }]);
    expect(readReport(simple, "STATUS: done\nCHANGES: a.ts", [], told)).toMatchObject({ outputs: { changes: "a.ts" } });
  });

  test("what its agent is told then says what to do", () => {
    expect(readReport(simple, written, [], told)).toMatchObject({
      why: expect.stringMatching(/^the output only repeats the prompt: reply with `STATUS: done`/),
    });
  });

  test("[MC55] an example given by a tool is left out, and is no summary", () => {
    expect(isExample("what you changed, and in which files", told)).toBe(true);
    expect(isExample("a.ts", told)).toBe(false);
    const outputs = { changes: "What you changed,\nand in which files", pr: "none" };
    expect(readGiven(simple, { outcome: "done", outputs }, [], told)).toMatchObject({
      outputs: { pr: "none" },
      notes: ["CHANGES was left out: it repeats the prompt"],
    });
  });

  test("[PR15] the work stays bounded, whatever is printed", () => {
    const noise = "status: done and so on and so on ".repeat(20_000);
    expect(withoutEcho(noise, { text: noise, written: noise }).repeats).toBe(true);
  });
});
