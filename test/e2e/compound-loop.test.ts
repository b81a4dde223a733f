// The bundled compound-engineering-loop: its file, its role files, and where each decision of its review leads.

import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Act, actFor, type Script } from "../../src/executors/script.ts";
import { renderTemplate } from "../../src/prompts/template.ts";
import { simulate } from "../../src/runtime/runs/simulate.ts";
import { loadWorkflow } from "../../src/workflows/load.ts";
import { newSite, type Site, type StatusDocument, statuses } from "../support/pawl.ts";
import { log, runGit } from "../support/repository.ts";
import { type Acts, writeScript } from "../support/scripts.ts";

const name = "compound-engineering-loop";
const dir = fileURLToPath(new URL(`../../workflows/${name}/`, import.meta.url));
const source = readFileSync(join(dir, "workflow.yml"), "utf8");
const steps = ["brainstorm", "plan", "work", "review", "compound"] as const;

const approved = "STATUS: done\nDECISION: approved\nREVIEW_NOTES: good as it is";
const sentBack = (decision: string, issue: string) =>
  `STATUS: done\nDECISION: ${decision}\nREVIEW_ISSUES:\n- ${issue}\n- and its test\nREVIEW_NOTES: notes beside ${issue}`;

/** Every role succeeds at once, and says which of its attempts it was. */
function loopScript(changes: Acts = {}): Acts {
  return {
    brainstorm: [{ say: "STATUS: done\nBRAINSTORM_OUTPUT: docs/brainstorms/b.md\n- idea {{attempt}}" }],
    plan: [{ say: "STATUS: done\nPLAN_FILE: docs/plans/p{{attempt}}.md\nPLAN_SUMMARY: summary {{attempt}}" }],
    work: [
      {
        say: "STATUS: done\nIMPLEMENTATION_SUMMARY: built {{attempt}}\nFILES_CHANGED:\n- src/a{{attempt}}.ts\nPR_URL: none",
      },
    ],
    review: [{ say: approved }],
    compound: [{ say: "STATUS: done\nLEARNINGS: a lesson\nFILE_CREATED: none" }],
    ...changes,
  };
}

/** What the review says, attempt by attempt; the last entry applies to all later attempts. */
function reviews(...said: readonly string[]): Acts {
  const acts = said.map((say, index): Act => (index + 1 < said.length ? { say, attempt: index + 1 } : { say }));
  return { review: acts };
}

async function runLoop(site: Site, changes: Acts = {}, code = 0): Promise<StatusDocument> {
  const script = writeScript(site, loopScript(changes));
  return await site.json<StatusDocument>(["run", name, "Make the import fast", "--script", script], code);
}

/** The same without git and processes; `text` is the workflow file. */
function playLoop(changes: Acts, text = source) {
  const { definition } = loadWorkflow(text, "workflow.yml");
  if (!definition) throw new Error("the workflow cannot be used");
  const script: Script = { steps: loopScript(changes) };
  const { status, events, run } = simulate(definition, "Make the import fast", {
    play: (cue) => ({
      text: actFor(script, cue)?.say ?? "",
      exit: 0,
    }),
  });
  const path = events.flatMap((event) => (event.type === "attempt_dispatched" ? [event.name] : []));
  const open = run.header.gates.find(({ state }) => state.status === "open");
  return { status, path: path.join(" "), options: Object.keys(open?.options ?? {}), run };
}

/** What was performed, in order. */
async function pathOf(site: Site): Promise<string> {
  const dispatched = (await site.events()).filter(({ type }) => type === "attempt_dispatched");
  return dispatched.map((event) => String(event["name"])).join(" ");
}

/** The step's own input without the role files before it, which mention every key. */
function inputOf(site: Site, run: StatusDocument["run"], step: (typeof steps)[number], attempt = 1): string {
  const prompt = readFileSync(join(site.home, "logs", run.id, `run-${step}-${attempt}.prompt.md`), "utf8");
  const start = prompt.indexOf("# IDENTITY.md");
  expect(start, `${step} has its role files`).toBeGreaterThan(0);
  return prompt.slice(start);
}

/** The text between a heading and the next empty line. */
function sectionOf(input: string, heading: string): string {
  const lines = input.split("\n");
  const at = lines.findIndex((line) => line.startsWith(heading));
  expect(at, `no line ${heading}`).toBeGreaterThanOrEqual(0);
  const end = lines.findIndex((line, index) => index > at && line === "");
  return lines.slice(at + 1, end).join("\n");
}

describe("the file", () => {
  const { definition, problems } = loadWorkflow(source, "workflow.yml");
  const performers = definition?.steps.filter((step) => step.kind === "agent") ?? [];

  test("[B15 B24 B25 B26 B64 B79] five steps, five agents with the same names, a time limit for each, one shared limit of repetitions", () => {
    expect(problems).toEqual([]);
    expect(performers.map((step) => `${step.name}:${step.agent}:${(step.wallMs ?? 0) / 1000}`)).toEqual([
      "brainstorm:brainstorm:900",
      "plan:plan:900",
      "work:work:1800",
      "review:review:1200",
      "compound:compound:600",
    ]);
    expect(definition?.steps).toHaveLength(5);
    expect(performers.map(({ expects }) => expects)).toEqual(Array(5).fill("STATUS: done"));
    expect(parse(source)).toMatchObject({ pawl: 1, version: 3 });
    expect(definition?.pollEveryMs).toBe(60_000);
    const review = performers.find((step) => step.name === "review");
    expect(review).toMatchObject({
      decide: "decision",
      on: {
        "=approved": { route: { to: "go_to", step: "compound" } },
        "=needs_fixes": { route: { to: "back_to", step: "work" }, limit: null },
        "=rejected": { route: { to: "back_to", step: "brainstorm" }, limit: null },
      },
      budget: { atMost: 3, then: { to: "gate" } },
    });
  });

  test("[B16 B17 B18 B19 B20 B21 B22 B29 B41 B72 B74] what each step gets and what it may set", () => {
    expect(Object.fromEntries(performers.map((step) => [step.name, step.produces]))).toEqual({
      brainstorm: ["brainstorm_output"],
      plan: ["plan_file", "plan_summary"],
      work: ["implementation_summary", "files_changed", "pr_url"],
      review: ["decision", "review_issues", "review_notes"],
      compound: ["learnings", "file_created"],
    });
    const produced = performers.flatMap((step) => step.produces ?? []);
    expect(new Set(produced).size).toBe(produced.length);
    const consumed = {
      brainstorm: ["task", "review_issues"],
      plan: ["task", "brainstorm_output"],
      work: ["task", "plan_file", "plan_summary", "repo", "branch", "review_issues"],
      review: ["task", "plan_file", "implementation_summary", "files_changed", "pr_url"],
      compound: ["task", "implementation_summary", "review_issues", "review_notes", "decision"],
    };
    for (const { name: step, input } of performers) {
      for (const key of consumed[step as keyof typeof consumed])
        expect(input, `input of ${step}`).toContain(`{{${key}}}`);
      expect(input).not.toMatch(/\{\{\s*(issues|plan_content)\s*\}\}/);
      expect(input).toContain("REPOSITORY: {{repo}}\nBRANCH: {{branch}}\n");
    }
    expect(source).not.toMatch(/plan_content/i);
  });
});

describe("the role files", () => {
  const read = (agent: string, file = "AGENTS.md") => readFileSync(join(dir, "agents", agent, file), "utf8");

  test.each(steps)(
    "[B23 B32 B33 B34 B35 B36 B42] %s is self-contained, autonomous and ends with its reply",
    (agent) => {
      const text = read(agent);
      const flat = text.replace(/\s+(> )?/g, " ");
      expect(text.split("\n").slice(0, 4).join(" ")).toMatch(/any agent that Pawl runs.*maintained independently/);
      expect(flat).toContain("always work autonomously: nobody answers questions");
      expect(flat).toContain("Shared files are read from the git working tree");
      expect(text).toMatch(/\| what happens \| what to do \|\n\| --- \| --- \|\n(\|.*\|\n){5,}/);
      const reminder = text.slice(text.lastIndexOf("\n## "));
      expect(reminder).toContain("## Structured Output");
      expect(reminder).toMatch(/^STATUS: done$/m);
      const produces = loadWorkflow(source, "workflow.yml").definition?.steps.flatMap((step) =>
        step.kind === "agent" && step.name === agent ? (step.produces ?? []) : [],
      );
      for (const key of produces ?? []) expect(reminder).toMatch(new RegExp(`^${key.toUpperCase()}:`, "m"));
      const foreign =
        /TodoWrite|AskUserQuestion|skill:|sub-?agent|\/workflows:|\.local\.md|git-worktree|agent-browser|screenshot|rclone|\[missing/i;
      for (const file of ["AGENTS.md", "SOUL.md", "IDENTITY.md"]) expect(read(agent, file)).not.toMatch(foreign);
      expect(read(agent, "IDENTITY.md")).toMatch(/^Name: .+\nRole: .+$/m);
    },
  );

  test("[B23] each step that writes documents owns one directory; work owns the code", () => {
    const owned = {
      brainstorm: "docs/brainstorms/",
      plan: "docs/plans/",
      compound: "docs/solutions/",
    };
    for (const [agent, place] of Object.entries(owned)) {
      expect(read(agent)).toContain(`You own \`${place}\` and write nowhere else.`);
    }
    expect(read("work")).toContain("You own the source code, its tests, the project's documentation and `todos/`.");
    expect(read("review")).toContain("You write nothing: no file, no commit, no branch.");
    for (const place of Object.values(owned)) expect(read("work")).toContain(`\`${place}\``);
  });

  test("[B37 B38 B39 B40 B41] what each role must know", () => {
    const flat = (agent: string) => read(agent).replace(/\s+/g, " ");
    expect(flat("brainstorm")).toContain(
      "If `REVIEW_ISSUES` is not empty, the previous approach was rejected. Propose a fundamentally different approach",
    );
    for (const part of ["The repository", "Learnings", "The flows", "Good practice", "The framework's documentation"]) {
      expect(read("plan")).toContain(`**${part}.**`);
    }
    expect(read("plan")).not.toMatch(/PLAN_CONTENT/);
    expect(flat("work")).toContain(
      "If `REVIEW_ISSUES` is not empty, this is a retry. Focus on fixing the listed issues rather than re-implementing from scratch.",
    );
    expect(flat("work")).toMatch(/Run `git status` first.*uncommitted changes.*WIP branches.*clean state/);
    expect(flat("review")).toContain("DECISION must be exactly one of: approved, needs_fixes, rejected (lowercase)");
    for (const part of ["Security", "Data", "Performance", "Architecture", "Tests", "Conventions", "Simplicity"]) {
      expect(read("review")).toContain(`**${part}.**`);
    }
    for (const key of ["DECISION", "REVIEW_ISSUES", "REVIEW_NOTES"]) expect(read("compound")).toContain(`\`${key}\``);
  });
});

test("[B6 B15 B22 B30 B31 B33 B72 B73] approved: five steps in order, files shared through git, nothing missing in any input", async () => {
  const site = newSite();
  const { run, steps: ended } = await runLoop(site, {
    brainstorm: [
      {
        write: { "docs/brainstorms/b.md": "read rows as a stream\n" },
        commit: "docs: brainstorm import",
        say: "STATUS: done\nBRAINSTORM_OUTPUT: docs/brainstorms/b.md\nTASK: something else\nREPO: /elsewhere\nPLAN_FILE: mine.md",
      },
    ],
    plan: [
      {
        run: ["mkdir -p docs/plans && cp docs/brainstorms/b.md docs/plans/p1.md"],
        commit: "docs: plan import",
        say: "STATUS: done\nPLAN_FILE: docs/plans/p1.md\nPLAN_SUMMARY: stream it",
      },
    ],
    ...reviews("STATUS: done\nDECISION: approved\nREVIEW_NOTES: Check the {{branch}} variable"),
  });
  expect(run.status).toBe("done");
  expect(statuses(ended)).toBe("brainstorm:done,plan:done,work:done,review:done,compound:done");
  expect(await pathOf(site)).toBe("brainstorm plan work review compound");
  expect(log(site.repo, `main..${run.branch}`)).toEqual(["docs: plan import", "docs: brainstorm import"]);
  expect(runGit(site.repo, "show", `${run.branch}:docs/plans/p1.md`)).toBe("read rows as a stream");

  const tree = join(site.home, "worktrees", run.id);
  for (const step of steps) {
    const input = inputOf(site, run, step);
    expect(input, `input of ${step}`).not.toContain("[missing:");
    expect(input, `input of ${step}`).not.toContain("Feedback on the work so far");
    expect(sectionOf(input, "TASK:"), `input of ${step}`).toBe("Make the import fast");
    expect(sectionOf(input, "REVIEW_ISSUES ("), `input of ${step}`).toBe("");
    expect(input, `input of ${step}`).toContain(`REPOSITORY: ${tree}\nBRANCH: ${run.branch}\n`);
  }
  expect(sectionOf(inputOf(site, run, "plan"), "BRAINSTORM_OUTPUT:")).toBe("docs/brainstorms/b.md");
  for (const step of ["work", "review"] as const) {
    expect(inputOf(site, run, step)).toContain("PLAN_FILE: docs/plans/p1.md\n");
    expect(inputOf(site, run, step)).not.toContain("read rows as a stream");
  }
  expect(inputOf(site, run, "review")).toContain("PR_URL: none\n");
  const compound = inputOf(site, run, "compound");
  expect(compound).toContain("DECISION: approved\n");
  expect(sectionOf(compound, "REVIEW_NOTES:")).toBe("Check the {{branch}} variable");
});

test("[B3 B12 B39 B41 B50 B63] needs_fixes: work gets the issues, review runs again, and after approval nothing stale is left", async () => {
  const site = newSite();
  const { run } = await runLoop(site, reviews(sentBack("needs_fixes", "the header row is lost"), approved));
  expect(run.status).toBe("done");
  expect(await pathOf(site)).toBe("brainstorm plan work review work review compound");

  const issues = "- the header row is lost\n- and its test";
  const again = inputOf(site, run, "work", 2);
  expect(sectionOf(again, "REVIEW_ISSUES (")).toBe(issues);
  expect(again).toContain("this is a retry");
  expect(again).toContain("PLAN_FILE: docs/plans/p1.md\n");
  expect(again.split("the header row is lost")).toHaveLength(2);

  const second = inputOf(site, run, "review", 2);
  expect(sectionOf(second, "REVIEW_ISSUES (")).toBe(issues);
  expect(sectionOf(second, "IMPLEMENTATION_SUMMARY:")).toBe("built 2");
  expect(sectionOf(second, "FILES_CHANGED (")).toBe("- src/a2.ts");

  const compound = inputOf(site, run, "compound");
  expect(compound).toContain("DECISION: approved\n");
  expect(sectionOf(compound, "REVIEW_ISSUES (")).toBe("");
  expect(sectionOf(compound, "REVIEW_NOTES:")).toBe("good as it is");
  expect(compound).not.toContain("header row");
});

test("[B37 B38 B51] rejected: brainstorm, plan, work and review run again in order, each with the issues", async () => {
  const site = newSite();
  const { run } = await runLoop(site, reviews(sentBack("rejected", "streams cannot be sorted"), approved));
  expect(run.status).toBe("done");
  expect(await pathOf(site)).toBe("brainstorm plan work review brainstorm plan work review compound");
  for (const step of ["brainstorm", "plan", "work", "review"] as const) {
    expect(sectionOf(inputOf(site, run, step, 1), "REVIEW_ISSUES ("), `input of ${step}`).toBe("");
    expect(sectionOf(inputOf(site, run, step, 2), "REVIEW_ISSUES ("), `input of ${step}`).toBe(
      "- streams cannot be sorted\n- and its test",
    );
  }
  expect(inputOf(site, run, "brainstorm", 2)).toContain("the previous approach was rejected");
  expect(sectionOf(inputOf(site, run, "plan", 2), "BRAINSTORM_OUTPUT:")).toContain("- idea 2");
  expect(inputOf(site, run, "work", 2)).toContain("PLAN_FILE: docs/plans/p2.md\n");
  expect(inputOf(site, run, "compound")).not.toContain("streams cannot be sorted");
});

test("[B45] Approved, APPROVED and approved with spaces around it are the same; so are the other decisions", async () => {
  for (const spelling of ["approved", "Approved", "APPROVED", " approved ", "**approved**"]) {
    const played = playLoop(reviews(`STATUS: done\nDECISION: ${spelling}`));
    expect(played, `spelt "${spelling}"`).toMatchObject({ status: "done", path: steps.join(" ") });
  }
  const site = newSite();
  const script = loopScript(reviews(sentBack("Needs_Fixes", "x"), sentBack(" REJECTED ", "y"), approved));
  const { code, stdout } = await site.pawl("workflow", "simulate", name, "--script", writeScript(site, script));
  expect(code).toBe(0);
  expect(Array.from(stdout.matchAll(/^▶ (\w+)(?= \(attempt|$)/gm), (match) => match[1]).join(" ")).toBe(
    "brainstorm plan work review work review brainstorm plan work review compound",
  );
});

test("[B46 B47] a missing or unknown decision decides nothing: the review runs again and learns what was wrong", async () => {
  const site = newSite();
  const { run } = await runLoop(
    site,
    reviews("STATUS: done\nREVIEW_NOTES: forgot it", "STATUS: done\nDECISION: maybe\nREVIEW_NOTES: unsure", approved),
  );
  expect(run.status).toBe("done");
  expect(await pathOf(site)).toBe("brainstorm plan work review review review compound");
  expect(inputOf(site, run, "review", 2)).toContain("Decision key 'DECISION' not found in step output");
  expect(inputOf(site, run, "review", 3)).toContain("Unknown decision value: 'maybe' for key 'DECISION'");
  const compound = inputOf(site, run, "compound");
  expect(compound).not.toMatch(/forgot it|unsure|maybe/);

  expect(playLoop(reviews("STATUS: done\nDECISION: maybe"))).toMatchObject({
    status: "held",
    path: "brainstorm plan work review review review",
    options: ["approved", "needs_fixes", "rejected", "again", "stop"],
  });
});

test("[B52 B64] the fourth step back, counted over both kinds, asks a person; each answer leads where it says", async () => {
  const site = newSite();
  const held = await runLoop(
    site,
    reviews(
      sentBack("needs_fixes", "issue 1"),
      sentBack("rejected", "issue 2"),
      sentBack("needs_fixes", "issue 3"),
      sentBack("rejected", "issue 4"),
      approved,
    ),
    3,
  );
  const before = "brainstorm plan work review work review brainstorm plan work review work review";
  expect(await pathOf(site)).toBe(before);
  expect(held.run.status).toBe("held");
  expect(statuses(held.steps)).toBe("brainstorm:done,plan:done,work:done,review:held,compound:waiting");
  const question = expect.stringContaining("sent the change back three times");
  const options = ["accept", "fix", "rethink", "stop"];
  expect(held.gates).toMatchObject([{ step: "review", status: "open", question, options }]);
  expect(await site.status()).toMatchObject({ run: { status: "held" }, gates: held.gates });
  const gate = held.gates[0]?.id ?? "";

  // Every answer is tried on the same held run.
  const kept = site.path("..", `${held.run.id}-kept`);
  const saved = ["home", "repo"] as const;
  for (const part of saved) cpSync(site.path(part), join(kept, part), { recursive: true });
  const answer = async (option: string): Promise<void> => {
    for (const part of saved) {
      rmSync(site.path(part), { recursive: true });
      cpSync(join(kept, part), site.path(part), { recursive: true });
    }
    expect(await site.pawl("answer", gate, option), `answer ${option}`).toMatchObject({ code: 0 });
  };
  const goOn = async (option: string, path: string): Promise<StatusDocument["run"]> => {
    await answer(option);
    const { run } = await site.json<StatusDocument>(["resume", "1"]);
    expect(run.status).toBe("done");
    expect(await pathOf(site), `answer ${option}`).toBe(`${before} ${path}`);
    return run;
  };
  try {
    const compound = inputOf(site, await goOn("accept", "compound"), "compound");
    expect(compound).toContain("DECISION: accept\n");
    expect(sectionOf(compound, "REVIEW_ISSUES (")).toContain("issue 4");

    const work = inputOf(site, await goOn("fix", "work review compound"), "work", 5);
    expect(sectionOf(work, "REVIEW_ISSUES (")).toContain("issue 4");

    const rethought = await goOn("rethink", "brainstorm plan work review compound");
    expect(sectionOf(inputOf(site, rethought, "brainstorm", 3), "REVIEW_ISSUES (")).toContain("issue 4");

    await answer("stop");
    const stopped = await site.status();
    expect(stopped.run.status).toBe("failed");
    expect(stopped.why).toContain("not approved after 3 rounds");
  } finally {
    rmSync(kept, { recursive: true, force: true });
  }
});

test("[B44 B83] without `decide` the same five steps run in order, and compound still sees what the review found", () => {
  const linear = parse(source) as { steps: Record<string, unknown>[] };
  for (const step of linear.steps) for (const field of ["decide", "on", "on_error", "budget"]) delete step[field];
  const { status, path, run } = playLoop(reviews(sentBack("rejected", "too slow still")), JSON.stringify(linear));
  expect({ status, path }).toEqual({ status: "done", path: steps.join(" ") });
  const { context, definition } = run.header;
  const [compound] = definition.steps.flatMap((step) =>
    step.kind === "agent" && step.name === "compound" ? [step.input] : [],
  );
  const { text } = renderTemplate(compound ?? "", context, definition.knownKeys);
  expect(text).toContain("DECISION: rejected\n");
  expect(sectionOf(text, "REVIEW_ISSUES (")).toBe("- too slow still\n- and its test");
});
