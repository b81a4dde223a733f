// What agents are told by the bundled workflows, as an answer: repeated it says nothing; what it asks for counts.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { AgentStep, StepDefinition } from "../../src/domain/definition.ts";
import type { Told } from "../../src/prompts/echo.ts";
import { readGiven, readReport } from "../../src/prompts/report.ts";
import { renderTemplate } from "../../src/prompts/template.ts";
import { loadWorkflow } from "../../src/workflows/load.ts";
import { findBundled } from "../support/bundled.ts";
import { known } from "../support/protocols.ts";

const folder = new URL("../../workflows/", import.meta.url);
const values = {
  task: "Add a page that shows the sum",
  repo: "/home/me/my project of sums",
  branch: "pawl/sums-1",
  base: "main",
  current_story: "Story US-001: Add\n\nAdd two numbers.\n\nAcceptance Criteria:\n  1. The sum is shown",
};

interface Asked {
  readonly step: AgentStep;
  readonly told: Told;
}

function agentStepsOf(steps: readonly StepDefinition[]): readonly AgentStep[] {
  return steps.flatMap((step) =>
    step.kind === "stories" ? agentStepsOf(step.body) : step.kind === "agent" ? [step] : [],
  );
}

/** Every bundled step with everything that its agent is told. */
const bundled = readdirSync(folder).flatMap((id) => {
  const file = id === "agentic-coding" ? "step-rules.yml" : "workflow.yml";
  const text = readFileSync(new URL(`${id}/${file}`, folder), "utf8");
  const { definition } = loadWorkflow(text, file, known, { find: findBundled });
  return agentStepsOf(definition?.steps ?? []).map((step): readonly [string, Asked] => {
    const files = Object.values(definition?.agents[step.agent]?.files ?? {});
    const roles = files.map((file) => readFileSync(new URL(`${id}/${file}`, folder), "utf8"));
    const prompt = renderTemplate(step.input, values, definition?.knownKeys ?? []).text;
    const told = { text: [...roles, prompt].join("\n"), written: [...roles, step.input].join("\n") };
    return [`${id}: ${step.name}`, { step, told }];
  });
});

const outcomeOf = ({ step, told }: Asked, answer: string) => readReport(step, answer, [], told).outcome;

describe("[PR35] an agent that only repeats its prompt has said nothing", () => {
  test.each(bundled)("%s", (_, asked) => {
    const { text } = asked.told;
    const forms = {
      whole: text,
      "with a preamble": `Sure! This is what I was asked to do:\n\n${text}`,
      "with an afterword": `${text}\n\nI hope that this helps.`,
      quoted: text.replace(/^/gm, "> "),
      "in a block": `\`\`\`\n${text}\n\`\`\``,
      indented: text.replace(/^/gm, "    "),
      twice: `${text}\n${text}`,
      "its input alone": asked.step.input,
    };
    for (const [form, answer] of Object.entries(forms))
      expect([form, outcomeOf(asked, answer)]).toEqual([form, "invalid_output"]);
  });

  test.each(bundled)("a part of it: %s", (_, asked) => {
    const lines = asked.told.text.trimEnd().split("\n");
    // Around each line that could be read as a verdict, and from there to the end.
    for (const [at, line] of lines.entries()) {
      if (!/^\W*(STATUS|SUMMARY)\b/.test(line) && at < lines.length - 4) continue;
      for (const before of [0, 1, 2, 7]) {
        const tail = lines.slice(Math.max(0, at - before)).join("\n");
        expect([tail.slice(0, 200), outcomeOf(asked, tail)]).toEqual([tail.slice(0, 200), "invalid_output"]);
        const part = lines.slice(Math.max(0, at - before), at - before + 10).join("\n");
        expect([part, outcomeOf(asked, `Here it is:\n${part}`)]).toEqual([part, "invalid_output"]);
      }
    }
  });
});

const reviews = ["dynamic-ralph: review", "dynamic-ralph: final_review"];

describe("[PR32 PR39] prose without a STATUS", () => {
  const prose = "NOT DONE. Do not merge this.\n\nSUMMARY\nThe sum is wrong.";

  test.each(bundled.filter(([name]) => reviews.includes(name)))(
    "passes no review, which is asked again: %s",
    (_, asked) => {
      const { step, told } = asked;
      expect(readReport(step, prose, [], told)).toMatchObject({
        outcome: "invalid_output",
        why: expect.stringMatching(/^no STATUS line: reply/) as string,
      });
      expect(step.onUnreadable).toMatchObject({ route: { to: "again" }, limit: { atMost: 2, then: { to: "fail" } } });
      expect(readGiven(step, { summary: prose }, [], told)).toMatchObject({ outcome: "invalid_output" });
      for (const [status, verdict] of [
        ["done", "passed"],
        ["retry", "rejected"],
      ] as const)
        expect(readReport(step, `${prose}\nSTATUS: ${status}`, [], told)).toMatchObject({
          verdict: { kind: verdict },
          summary: "The sum is wrong.",
        });
    },
  );

  test.each(bundled.filter(([name]) => name.startsWith("dynamic-ralph") && !reviews.includes(name)))(
    "ends a step that only works: %s",
    (_, asked) => expect(outcomeOf(asked, prose)).toBe("completed"),
  );
});

/** As an agent answers that does what it is told: the keys it was asked for, in words of its own. */
const honest: Readonly<Record<string, string>> = {
  plan: 'STATUS: done\nREPO: /home/me/my project of sums\nBRANCH: pawl/sums-1\nBUILD_CMD: npm run build\nTEST_CMD: npm test\nTYPECHECK_CMD:\nSTORIES_JSON: [\n  {\n    "id": "US-001",\n    "title": "Add the sum",\n    "description": "Add it",\n    "acceptanceCriteria": ["It is shown", "Typecheck passes"]\n  }\n]',
  implement: "STATUS: done\nCHANGES: sum.ts adds\nTESTS: sum.test.ts, green",
  verify: "STATUS: retry\nISSUES:\n- the sum is wrong for negative numbers",
  test: "STATUS: done\nRESULTS: npm test: 4 passed",
  pr: "STATUS: done\nPR: none",
  review: "STATUS: done\nDECISION: needs_fixes\nREVIEW_ISSUES:\n- sum.ts:3 is wrong",
};

describe("[PR35] what was asked for counts, although it stands in the prompt", () => {
  const featureDev = bundled.filter(([name]) => name.startsWith("feature-dev"));

  test.each(featureDev)("%s", (_, { step, told }) => {
    const answer = honest[step.name] ?? "";
    const plain = readReport(step, answer, []);
    expect(plain.outcome).toBe("completed");
    for (const before of [
      "",
      "I did it.\n\n",
      "I reply with exactly these keys, each at the start of a line:\n\n",
      `${told.text}\n\n`,
    ])
      expect(readReport(step, before + answer, [], told)).toMatchObject({ ...plain, feedback: expect.any(String) });
  });
});
