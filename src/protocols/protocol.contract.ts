// The contract of protocols: what each of them promises, shown on a real repository and a run of its own workflow.

import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeRepository, runGit } from "../../test/support/repository.ts";
import { engineKeys } from "../domain/context.ts";
import { isPerformed } from "../domain/definition.ts";
import type { Event } from "../domain/event.ts";
import { attemptId, isSafeId, runId, type StoryId, token } from "../domain/ids.ts";
import type { Run } from "../domain/run.ts";
import { decide, startRun } from "../engine/decide.ts";
import { definitionOf } from "../engine/definitions.ts";
import { loadWorkflow } from "../workflows/load.ts";
import { type CompleteProtocol, factsOf, withDefaults } from "./complete-protocol.ts";
import { defaultFolder } from "./files/folder.ts";
import { Projection, type ProjectionSource } from "./files/projection.ts";
import type { AttemptFacts, Protocol } from "./protocol.ts";

/** `workflow`: the text of a workflow file of this protocol. */
const session = { isOthers: false, told: () => ({ text: "", written: "" }) };

export function describeProtocol(given: Protocol, workflow: string): void {
  describe(`protocol ${given.name}`, () => {
    test("[PO3] its name and its template keys are words, and none of them is a general key", () => {
      const { name, templateKeys } = withDefaults(given);
      expect(isSafeId(name)).toBe(true);
      for (const key of templateKeys) {
        expect(key).toMatch(/^[a-z][a-z0-9_]*$/);
        expect(engineKeys.has(key)).toBe(false);
      }
    });

    test("[PO3] it gives values only to the template keys that it declares, and variables that are not Pawl's", async () => {
      const { protocol, work, repo } = await begin(given, workflow);
      const { templateKeys, values, environment } = protocol;
      expect(templateKeys).toEqual(expect.arrayContaining(Object.keys(values(work, repo))));
      for (const [name, value] of Object.entries(environment(work))) {
        expect(name).toMatch(/^(?!PAWL_)[A-Z][A-Z0-9_]*$/);
        expect(typeof value).toBe("string");
      }
    });

    test("[PO4] git sees none of its files, neither in the workspace nor in the repository", async () => {
      const { protocol, work, repo, project } = await begin(given, workflow);
      await protocol.prepare(work, repo);
      await project();
      expect(runGit(repo, "status", "--porcelain", "--untracked-files=all")).toBe("");
    });

    test("[PO5] every function around an attempt can run twice", async () => {
      const { protocol, work, repo } = await begin(given, workflow);
      const { run } = work;
      await protocol.begin(run.header);
      await protocol.prepare(work, repo);
      await protocol.prepare(work, repo);
      const collected = await protocol.collect(work, repo, session);
      expect(await protocol.collect(work, repo, session)).toEqual(collected);
      await protocol.settled(work, []);
      await protocol.settled(work, []);
    });

    test("[PO19] nothing has arrived for an attempt that has just been prepared, and nothing is reported", async () => {
      const { protocol, work, repo } = await begin(given, workflow);
      await protocol.prepare(work, repo);
      expect(await protocol.arrived(work, repo, session)).toBe(false);
      expect((await protocol.collect(work, repo, session)).told).toBeUndefined();
    });

    test("[PO6] its paths are absolute, and no attempt overwrites the log or the diff of another", async () => {
      const { protocol, work } = await begin(given, workflow);
      const { run, attempt } = work;
      const next = { ...attempt, number: attempt.number + 1 };
      const files = [attempt, next].flatMap((each) => [
        protocol.logFile(run.header, each),
        protocol.diffFile(run.header, each),
      ]);
      const named = files.filter((file) => file !== null);
      expect(new Set(named).size).toBe(named.length);
      for (const place of [...named, ...protocol.writable(work), ...protocol.ownFiles(run.header)])
        expect(isAbsolute(place)).toBe(true);
    });

    test("[PO7] its files are the same whichever process writes them, and a removed folder is not created again", async () => {
      const { protocol, work, project } = await begin(given, workflow);
      const { run } = work;
      const files = protocol.project(run.header, () => undefined);
      if (files === null) return;
      await project();
      const shown = Object.keys(files.files?.(run, []) ?? {});
      const before = shown.map((file) => readFileSync(file, "utf8"));
      await project();
      expect(shown.map((file) => readFileSync(file, "utf8"))).toEqual(before);
      rmSync(files.dir, { recursive: true });
      await project();
      expect(() => readFileSync(join(files.dir, ".pawl.json"))).toThrow("ENOENT");
    });
  });
}

interface Begun {
  readonly protocol: CompleteProtocol;
  readonly work: AttemptFacts;
  readonly repo: string;
  /** Shows the run in the protocol's files, as a process of its own would. */
  readonly project: () => Promise<void>;
}

/** A run of the workflow whose first step has an attempt, with the files of the protocol prepared for it. */
async function begin(given: Protocol, text: string): Promise<Begun> {
  const protocol = withDefaults(given);
  const { definition, problems } = loadWorkflow(text, "workflow.yml", [factsOf(protocol)]);
  if (definition === null) throw new Error(JSON.stringify(problems));
  const repo = makeRepository();
  const folder = defaultFolder(repo, protocol.name);
  if (protocol.hasFolder) mkdirSync(folder, { recursive: true });
  const base = runGit(repo, "rev-parse", "HEAD");
  const stories = protocol.storiesFor("a task");
  const started = startRun({
    type: "start_run",
    at: 1,
    author: "test",
    run: runId("k3x"),
    definition,
    task: "a task",
    place: {
      repo,
      kind: "worktree",
      base,
      baseName: "main",
      branch: "pawl/1",
      ...(protocol.hasFolder ? { shared: folder } : {}),
    },
    executor: null,
    context: {},
    ...(stories === null ? {} : { stories }),
  });
  const { work, events } = firstAttempt(started.run, started.events);
  await protocol.begin(work.run.header);
  mkdirSync(join(repo, ".git/info"), { recursive: true });
  appendFileSync(join(repo, ".git/info/exclude"), `${protocol.excludes(work.run.header).join("\n")}\n`);
  return { protocol, work, repo, project: () => projected(protocol, work.run, events) };
}

function firstAttempt(run: Run, before: readonly Event[]): { work: AttemptFacts; events: readonly Event[] } {
  const scopes = [...Object.values(run.stories), run.header];
  const story = (scopes.find(({ chain }) => chain.some(({ state }) => state.status === "ready"))?.id ?? "") as StoryId;
  const scope = run.stories[story] ?? run.header;
  const step = scope.chain.find(({ state }) => state.status === "ready");
  if (!step) throw new Error("no step of the workflow is ready");
  const of = run.stories[story] ? story : null;
  const decision = decide(run, {
    type: "start_attempt",
    at: 2,
    author: "test",
    story: of,
    attempt: attemptId("at-1"),
    step: step.id,
    token: token("secret"),
    driver: "push",
    executor: "script",
    host: "",
  });
  if (!decision.accepted) throw new Error(decision.why);
  const after = decision.run;
  const attempt = (of === null ? after.header : after.stories[of])?.attempts.at(-1);
  const definition = definitionOf(after, of, step.name);
  if (!attempt || !isPerformed(definition)) throw new Error(`${step.name} is not performed`);
  return { work: { run: after, attempt, definition }, events: [...before, ...decision.events] };
}

async function projected(protocol: CompleteProtocol, run: Run, events: readonly Event[]): Promise<void> {
  const files = protocol.project(run.header, () => undefined);
  if (files === null) return;
  const source: ProjectionSource = {
    events: async (_run, after) => events.slice(after).map((event, index) => ({ seq: after + index + 1, event })),
    wholeRun: async () => run,
    partOf: async () => run,
    storySpecs: async () => [],
  };
  const projection = new Projection(run.header.id, files, source, (why) => {
    throw why;
  });
  await projection.close();
}
