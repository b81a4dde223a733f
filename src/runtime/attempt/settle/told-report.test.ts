// What settling makes of reports in files: their order of trust, what becomes of them when the agent ends badly, and what is kept.

import { describe, expect, test } from "vitest";
import { toy } from "../../../../test/support/toy-protocol.ts";
import { makeToyWorld } from "../../../../test/support/toy-world.ts";
import type { PerformedDefinition } from "../../../domain/definition.ts";
import type { CompletedReport } from "../../../domain/report.ts";
import type { ExecutionEnd } from "../../../executors/executor.ts";
import type { ToldReport } from "../../../protocols/protocol.ts";
import { loadWorkflow } from "../../../workflows/load.ts";
import { readAnswer } from "./read-answer.ts";

function stepOf(fields: string): PerformedDefinition {
  const steps = `steps: [{ id: work, agent: worker, input: go, ${fields} }]`;
  const { definition, problems } = loadWorkflow(`pawl: 1\nid: small\nagents: { worker: {} }\n${steps}\n`, "w.yml", []);
  const step = definition?.steps[0];
  if (step?.kind !== "agent") throw new Error(JSON.stringify(problems));
  return step;
}

const step = stepOf("on: { rejected: gate }");
const used = { usage: { costUsd: 0, inputTokens: 0, outputTokens: 0 }, session: null, notes: [] };
const ran = (text: string) => ({ ...used, outcome: "ran", text }) as unknown as ExecutionEnd;
const ended = (outcome: string, kind?: string) =>
  ({ ...used, outcome, why: "it ended so", kind, text: "", retryAt: null }) as unknown as ExecutionEnd;
const told = (verdict: ToldReport["verdict"], more: Partial<ToldReport> = {}): ToldReport => ({
  verdict,
  feedback: "",
  notes: [],
  ...more,
});
const passed = { kind: "passed" } as const;
const rejected = { kind: "rejected", reason: "scope" } as const;

interface Given {
  readonly end: ExecutionEnd;
  readonly told?: ToldReport;
  readonly byTool?: CompletedReport;
  readonly of?: PerformedDefinition;
  readonly checksDecide?: boolean;
  readonly unreported?: string;
}

const read = ({ end, told, byTool, of = step, checksDecide = false, unreported }: Given) =>
  readAnswer(of, { kind: "executed", end, reported: { report: byTool ?? null } }, [], undefined, {
    told: told ?? null,
    checksDecide,
    unreported: unreported ?? null,
  });

const byTool: CompletedReport = {
  outcome: "completed",
  verdict: passed,
  outputs: {},
  stories: null,
  feedback: "",
  notes: [],
};

describe("the order of trust", () => {
  test("[PO15] tools count more than files, and files more than what was printed", () => {
    expect(read({ end: ran("STATUS: done"), told: told(rejected, { feedback: "no" }) })).toMatchObject({
      outcome: "completed",
      verdict: rejected,
      feedback: "no",
    });
    expect(read({ end: ran("STATUS: retry"), told: told(passed), byTool })).toMatchObject({ verdict: passed });
    expect(read({ end: ran("no word of a status"), told: told(passed) })).toMatchObject({ verdict: passed });
    expect(read({ end: ran("STATUS: done") })).toMatchObject({ verdict: passed });
  });

  test("[PO15] a question and a report without a meaning are never a pass, whatever was printed", () => {
    const end = ran("STATUS: done");
    expect(read({ end, told: told({ kind: "asked", question: "Which one?" }) })).toMatchObject({
      outcome: "failed",
      asked: { question: "Which one?", options: [] },
    });
    expect(read({ end, told: told({ kind: "unreadable", why: "two words" }) })).toMatchObject({
      outcome: "invalid_output",
      why: "two words",
    });
  });

  test("[PO15] where a key decides, a report without it decides nothing", () => {
    const of = stepOf("decide: way, on: { left: next, right: next }");
    const end = ran("");
    expect(read({ end, of, told: told(passed) }).outcome).toBe("invalid_output");
    expect(read({ end, of, told: told(passed, { outputs: { way: "left" } }) })).toMatchObject({
      verdict: { kind: "value", value: "left" },
    });
    expect(read({ end, of, told: told(passed, { outputs: { way: "up" } }) }).outcome).toBe("invalid_output");
  });
});

describe("an agent that ended badly", () => {
  test("[PO16 D67] a report in files stands after a failure, with a note; without one it has failed", () => {
    const end = ended("failed");
    expect(read({ end, told: told(rejected) })).toMatchObject({
      verdict: rejected,
      notes: ["after its report it ended badly: it ended so"],
    });
    expect(read({ end, told: told(passed) })).toMatchObject({ outcome: "completed", verdict: passed });
    expect(read({ end, checksDecide: true, of: stepOf('checks: ["true"]') }).outcome).toBe("failed");
  });

  test.each([
    ["cancelled", ended("cancelled")],
    ["timed_out", ended("timed_out")],
    ["failed", ended("failed", "killed")],
    ["failed", ended("failed", "denied")],
  ])("[PO16] one that is %s has not finished, whatever its files say", (outcome, end) => {
    expect(read({ end, told: told(passed) }).outcome).toBe(outcome);
  });
});

describe("an agent that reported nothing", () => {
  const checked = stepOf('checks: ["true"], on: { rejected: gate }');

  test("[PO17 D67] its checks decide where the protocol says so; without checks it is unreadable", () => {
    expect(read({ end: ran("bye"), of: checked, checksDecide: true })).toMatchObject({
      verdict: passed,
      notes: ["it reported nothing: its checks decide"],
    });
    expect(read({ end: ran("bye"), of: checked }).outcome).toBe("invalid_output");
    expect(read({ end: ran("bye"), checksDecide: true }).outcome).toBe("invalid_output");
  });

  test("[PO20] it hears it in the words of the protocol; what it printed and how it died have words of their own", () => {
    const unreported = "Write REPORT.md.";
    expect(read({ end: ran("bye"), unreported })).toMatchObject({ outcome: "invalid_output", why: unreported });
    expect(read({ end: ran("STATUS: perhaps"), unreported })).not.toMatchObject({ why: unreported });
    expect(read({ end: ran("STATUS: done"), unreported })).toMatchObject({ verdict: passed });
    expect(read({ end: ended("failed"), unreported })).toMatchObject({ why: "it ended so" });
  });

  test("[PO21] a report that counts last fills only silence", () => {
    const last = told(passed, { isLast: true });
    expect(read({ end: ran("bye"), told: last })).toMatchObject({ verdict: passed });
    expect(read({ end: ran("STATUS: retry"), told: last })).toMatchObject({ verdict: { kind: "rejected" } });
    expect(read({ end: ran("STATUS: perhaps"), told: last }).outcome).toBe("invalid_output");
    expect(read({ end: ended("failed"), told: last }).outcome).toBe("failed");
  });

  test("[PO17] a STATUS that cannot be read, and a report in files that cannot be read, are not silence", () => {
    expect(read({ end: ran("STATUS: perhaps"), of: checked, checksDecide: true }).outcome).toBe("invalid_output");
    const unreadable = told({ kind: "unreadable", why: "?" });
    expect(read({ end: ran("bye"), of: checked, checksDecide: true, told: unreadable }).outcome).toBe("invalid_output");
  });
});

test("[PO15 PO16 PO18 D67] attempts of a run: files decide, red checks outrank them, and facts are kept however they end", async () => {
  const workflow = `
pawl: 1
protocol: toy
id: toy-work
agents: { worker: {} }
steps:
  - id: all
    stories: { workspace: worktree }
    body:
      - id: make
        agent: worker
        input: go
        checks: ["test -e made"]
        on: { rejected: { again, at_most: 3, then: fail } }
        on_error: { again, at_most: 4, then: fail }
      - { id: land, integrate: true }
`;
  const agent = `cat >/dev/null
told() { printf '{"of":"make %s","facts":{"seen":%s},"notes":["n"],%s}' "$PAWL_ATTEMPT" "$PAWL_ATTEMPT" "$1" >toy-report.json; }
case $PAWL_ATTEMPT in
1) told '"verdict":{"kind":"rejected","reason":"scope"},"feedback":"too wide"'; echo "STATUS: done" ;;
2) told '"verdict":{"kind":"passed"}'; echo "STATUS: done" ;;
3) told '"verdict":{"kind":"passed"}'; kill -9 $$ ;;
4) told '"verdict":{"kind":"unreadable","why":"a riddle"}'; echo "STATUS: done" ;;
*) touch made; told '"verdict":{"kind":"asked","question":"Which colour?"}'; [ $PAWL_ATTEMPT = 5 ] || told '"verdict":{"kind":"passed"}' ;;
esac`;
  const { world, begin, drive } = await makeToyWorld(toy, { workflow, agent });
  const run = await begin();
  expect(await drive(run)).toBe("held");
  const events = (await world.events(run)).flatMap((event) => (event.type === "attempt_ended" ? [event] : []));
  expect(events.map(({ outcome }) => outcome)).toEqual([
    "completed",
    "completed",
    "failed",
    "invalid_output",
    "completed",
  ]);
  expect(events.map(({ facts }) => facts?.["seen"])).toEqual([1, 2, 3, 4, 5]);
  expect(events.map(({ verdict }) => verdict)).toMatchObject([
    { kind: "rejected", reason: "scope" },
    { kind: "rejected", reason: "checks" },
    null,
    null,
    null,
  ]);
  const gates = (await world.events(run)).flatMap((event) => (event.type === "gate_opened" ? [event] : []));
  expect(gates).toMatchObject([{ gate: { cause: "asked", question: expect.stringContaining("Which colour?") } }]);
});
