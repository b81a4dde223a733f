import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository, tempDir, writeFiles } from "../../../test/support/repository.ts";
import { drawWorkflow } from "../../workflows/picture.ts";
import { Application } from "../application.ts";
import { agreeToWritten, trust } from "../setup/trust.ts";
import { checkWorkflow, simulateWorkflow, workflow, workflows } from "../workflows/workflows.ts";
import { assertRulesTrusted, projectRules } from "./rules.ts";

const nothing = { lint: null, test: null };

function newProject(files: Readonly<Record<string, string>> = {}): {
  readonly app: Application;
  readonly repo: string;
} {
  const dir = tempDir("pawl-rules-");
  const repo = makeRepository({ "README.md": "x", ...files }, { dir: join(dir, "repo") });
  mkdirSync(join(dir, "home"));
  const app = new Application({ cwd: repo, env: { ...process.env, PAWL_HOME: join(dir, "home") } });
  onTestFinished(async () => await app.close());
  return { app, repo };
}

test("[TB2 TB6 D40] a project's rules are the bundled table with what it changes, frozen in the definition", () => {
  const { app, repo } = newProject();
  const bundled = projectRules(app, repo, nothing);
  expect(bundled.file).toBeNull();
  expect(bundled.table.steps["impl"]).toMatchObject({ max_attempts: 5, post_check: "project.lint" });

  writeFiles(repo, { ".ai/step-rules.yaml": "steps: { impl: { max_attempts: 2 } }\n", "go.mod": "module x\n" });
  const own = projectRules(app, repo, nothing);
  expect(own.table.steps["impl"]).toMatchObject({ max_attempts: 2, timeout_min: 10 });
  expect(JSON.stringify(own.workflow.definition)).toContain("go test ./... -json");
  expect(JSON.stringify(bundled.workflow.definition)).not.toContain("go test");
  expect(own.workflow.file).toBe(bundled.workflow.file);

  writeFiles(repo, { ".ai/step-rules.yaml": "steps: { impl: { on_fail: { wrong: bdd } } }\n" });
  expect(projectRules(app, repo, nothing).notes).toEqual([
    expect.stringMatching(
      /^\.ai\/step-rules\.yaml:1: .* no session reports the reason `wrong` \(expected: default or one of: /,
    ),
  ]);

  writeFiles(repo, { ".ai/step-rules.yaml": "steps: { impl: { max_attempts: 0 } }\n" });
  expect(() => projectRules(app, repo, nothing)).toThrow(
    expect.objectContaining({ details: [expect.stringMatching(/expected: a whole number, 1 to \d+/)] }) as Error,
  );

  writeFiles(repo, { ".ai/step-rules.yaml": "steps: { impl: { next_on_pass: nowhere } }\n" });
  expect(() => projectRules(app, repo, nothing)).toThrow(
    expect.objectContaining({
      code: "WORKFLOW_INVALID",
      details: [expect.stringContaining(".ai/step-rules.yaml:1:")],
    }) as Error,
  );
});

test("[TB1 TB2 WF38] the table is a workflow: it is listed, checked and shown like any other", () => {
  const { app, repo } = newProject({ ".ai/step-rules.yaml": "steps: { verify: { max_attempts: 1 } }\n" });
  expect(workflows(app).workflows).toContainEqual({
    id: "agentic-coding",
    origin: "bundled",
    title: "Agentic coding",
    steps: ["stories"],
  });
  expect(checkWorkflow(app, "agentic-coding")).toMatchObject({ document: { ok: true, problems: [] }, missing: [] });
  const checked = checkWorkflow(app, join(repo, ".ai/step-rules.yaml"));
  expect(checked).toMatchObject({
    document: { ok: true, problems: [] },
    shown: ".ai/step-rules.yaml",
    missing: [],
  });
  const { definition } = workflow(app, ".ai/step-rules.yaml");
  const simulated = simulateWorkflow(app, "agentic-coding", {
    script: null,
    task: "Coupons",
    answers: ["review=approve"],
  });
  expect(simulated).toMatchObject({ status: "done", notes: [] });
  expect(drawWorkflow(definition)).toMatch(/review.*reject.*back to bdd/s);
});

test("[CM82 TB6] the commands of a project's rules are agreed to with the repository, by their text", async () => {
  const { app, repo } = newProject();
  const look = async (dir = repo) => await trust(app, { repo: dir, act: "look" });
  expect(await look()).toMatchObject({ commands: [], trusted: true });

  // What is written by a command that agrees to it, and what is changed afterwards.
  const rules = (command: string, dir = "") =>
    writeFiles(repo, { [`${dir}.ai/step-rules.yaml`]: `steps: { impl: { post_check: ${command} } }\n` });
  await agreeToWritten(app, repo, () => rules("make lint"));
  const commands = [{ key: "step-rules impl.post_check", command: "make lint" }];
  expect(await look()).toMatchObject({ commands, trusted: true });
  rules("make other");
  expect((await look()).trusted).toBe(false);

  // What was not agreed to before is not agreed to by writing something else.
  await agreeToWritten(app, repo, () => writeFiles(repo, { ".ai/x": "x" }));
  expect((await look()).trusted).toBe(false);
  await trust(app, { repo, act: "agree" });
  expect((await look()).trusted).toBe(true);

  // A project below the repository has rules of its own.
  rules("make inner", "inner/");
  const inner = join(repo, "inner");
  await expect(assertRulesTrusted(app, inner)).rejects.toMatchObject({ code: "UNTRUSTED" });
  expect((await look(inner)).trusted).toBe(false);
  await trust(app, { repo: inner, act: "agree" });
  await expect(assertRulesTrusted(app, inner)).resolves.toBeUndefined();
  expect((await look()).trusted).toBe(true);
});
