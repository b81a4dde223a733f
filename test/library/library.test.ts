// The library as a program uses it, in this process: runs from files and objects, events, gates, steering, and callers that
// misbehave.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { eventContract } from "../../src/contracts/events.ts";
import { statusContract } from "../../src/contracts/run-documents.ts";
import {
  type AgentCall,
  type EventDocument,
  openPawl,
  type Pawl,
  PawlError,
  type PawlOptions,
  WorkflowError,
} from "../../src/index.ts";
import { makeRepository, tempDir } from "../support/repository.ts";

const asking = {
  pawl: 1,
  id: "asking",
  agents: { worker: {} },
  steps: [
    { id: "work", agent: "worker", input: "{{task}}" },
    { id: "look", gate: "Is this right?", options: { approve: "next", reject: "fail" } },
    { id: "ship", agent: "worker", input: "ship it" },
  ],
};
const single = {
  pawl: 1,
  id: "single",
  agents: { worker: {} },
  steps: [{ id: "work", agent: "worker", input: "{{task}}" }],
};

interface Place {
  readonly home: string;
  readonly repo: string;
  open(options?: PawlOptions): Promise<Pawl>;
}

function newPlace(): Place {
  const dir = tempDir("pawl-library-");
  const [home, repo] = [
    join(dir, "home"),
    makeRepository({ "README.md": "# a project\n" }, { dir: join(dir, "repo") }),
  ];
  return {
    home,
    repo,
    async open(options = {}) {
      const pawl = await openPawl({ home, cwd: repo, executors: { ok: () => "STATUS: done" }, ...options });
      onTestFinished(async () => await pawl.close());
      return pawl;
    },
  };
}

async function typesOf(events: AsyncIterable<EventDocument>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

test("[LB5 LB6] a run from an object: its events end when it waits, continue after an answer, and fit their contract", async () => {
  const pawl = await newPlace().open();
  const run = await pawl.start({ workflow: asking, task: "Do it", executor: "ok" });
  let last = 0;
  for await (const event of run.events()) {
    expect(eventContract.safeParse(event).error).toBeUndefined();
    expect(event.seq).toBe(last + 1);
    last = event.seq;
  }
  const held = await run.status();
  expect(statusContract.safeParse(held).error).toBeUndefined();
  expect(held.run.status).toBe("held");
  const [gate] = await run.gates();
  expect(await pawl.gates()).toMatchObject([{ id: gate?.id, question: "Is this right?" }]);
  await run.answer(gate?.id ?? "", "approve");
  expect((await typesOf(run.events({ after: last }))).at(-1)).toBe("run_ended");
  expect(await run.why()).toMatch(/^Done/);
  expect(await run.cost()).toMatchObject({ total: { attempts: 2 } });
  expect((await run.wait()).run.status).toBe("done");
  expect(await pawl.runs()).toMatchObject([{ id: run.id, status: "done" }]);
});

test("[LB6] a gate that is answered within the loop does not end it", async () => {
  const pawl = await newPlace().open();
  const run = await pawl.start({ workflow: asking, task: "Do it", executor: "ok" });
  const types: string[] = [];
  for await (const event of run.events()) {
    types.push(event.type);
    if (event.type === "gate_opened") await run.approve();
  }
  expect(types.at(-1)).toBe("run_ended");
  expect((await run.status()).run.status).toBe("done");
});

test("[LB5] a workflow file and a bundled id go through the same loader", async () => {
  const place = newPlace();
  const pawl = await place.open();
  mkdirSync(join(place.repo, "flows"));
  writeFileSync(join(place.repo, "flows", "single.yml"), JSON.stringify(single));
  const run = await pawl.start({ workflow: "./flows/single.yml", task: "Do it", executor: "ok" });
  expect((await run.wait()).run).toMatchObject({ status: "done", workflow: "single" });
  const bundled = await pawl.start({ workflow: "feature-dev", task: "Do it", executor: "ok", drive: false });
  expect((await bundled.status()).run).toMatchObject({ status: "running", workflow: "feature-dev" });
  expect((await bundled.cancel()).status).toBe("cancelled");
});

test("[LB7] an invalid definition is refused with its problems as data, and nothing is recorded", async () => {
  const pawl = await newPlace().open();
  const wrong = { ...single, steps: [{ id: "work", agent: "nobody", inputs: "x" }] };
  const refused = await pawl.start({ workflow: wrong, task: "Do it", executor: "ok" }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(WorkflowError);
  expect(refused).toBeInstanceOf(PawlError);
  const { problems, code } = refused as WorkflowError;
  expect(code).toBe("WORKFLOW_INVALID");
  expect(problems.map(({ path }) => path)).toEqual(expect.arrayContaining([expect.stringContaining("steps[0]")]));
  expect(await pawl.check(wrong)).toEqual(problems);
  expect(await pawl.check(single)).toEqual([]);
  expect(await pawl.check("feature-dev")).toEqual([]);
  const cycle: Record<string, unknown> = { ...single };
  cycle["context"] = cycle;
  for (const bad of [cycle, [], { pawl: 1n }, null as never, (() => undefined) as never]) {
    await expect(pawl.start({ workflow: bad as never, task: "Do it" })).rejects.toMatchObject({
      code: "WORKFLOW_INVALID",
    });
  }
  expect(await pawl.runs()).toEqual([]);
});

test("[LB8] a caller that stops iterating or throws in its loop does no harm: the run continues, and the store closes", async () => {
  const place = newPlace();
  const release = Promise.withResolvers<void>();
  const slow = async () => {
    await release.promise;
    return "STATUS: done";
  };
  const pawl = await place.open({ executors: { slow } });
  const run = await pawl.start({ workflow: single, task: "Do it", executor: "slow" });
  for await (const _ of run.events()) break;
  const thrown = (async () => {
    for await (const { type } of run.events()) if (type === "attempt_began") throw new Error("the caller's own");
  })();
  await expect(thrown).rejects.toThrow("the caller's own");
  // An abandoned iterator: never read to its end, never returned.
  await run.events()[Symbol.asyncIterator]().next();
  const stopped = new AbortController();
  const aborted = typesOf(run.events({ signal: stopped.signal }));
  stopped.abort();
  expect((await aborted).length).toBeLessThan(20);
  release.resolve();
  expect((await run.wait()).run.status).toBe("done");
  await pawl.close();
});

test("[LB9] an error in a callback becomes a process warning and affects no run", async () => {
  const place = newPlace();
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  writeFileSync(join(place.repo, "dirty.txt"), "not committed");
  const onNote = vi.fn<(note: string) => void>(() => {
    throw new Error("in a callback");
  });
  const pawl = await place.open({ onNote });
  const run = await pawl.start({ workflow: single, task: "Do it", executor: "ok" });
  expect((await run.wait()).run.status).toBe("done");
  expect(onNote).toHaveBeenCalledWith(expect.stringContaining("uncommitted"));
  expect(warned).toHaveBeenCalledWith(expect.objectContaining({ message: "in a callback" }));
});

test("[LB10] an executor that throws or returns no answer fails its attempt, with its name and the reason", async () => {
  const pawl = await newPlace().open({
    executors: {
      throwing: () => {
        throw new Error("no model today");
      },
      silent: (() => undefined) as never,
    },
  });
  const stubborn = { ...single, steps: [{ ...single.steps[0], on_error: "fail" }] };
  for (const [executor, why] of [
    ["throwing", "throwing: no model today"],
    ["silent", "silent: it returned neither a text"],
  ] as const) {
    const run = await pawl.start({ workflow: stubborn, task: "Do it", executor });
    expect((await run.wait()).run.status).toBe("failed");
    const ended: string[] = [];
    for await (const event of run.events({ until: "now" })) if (event.type === "attempt_ended") ended.push(event.why);
    expect(ended.at(-1)).toContain(why);
  }
});

test("[LB10] an executor that never ends is abandoned at its time limit and when Pawl closes", async () => {
  const place = newPlace();
  const signals: AbortSignal[] = [];
  const never = async ({ signal }: { readonly signal: AbortSignal }) => {
    signals.push(signal);
    return await new Promise<string>(() => undefined);
  };
  const limited = { ...single, steps: [{ ...single.steps[0], on_error: "fail" }] };
  const pawl = await place.open({ executors: { never: { perform: never, timeoutMs: 200 } } });
  const run = await pawl.start({ workflow: limited, task: "Do it", executor: "never" });
  expect((await run.wait()).run.status).toBe("failed");
  expect(signals[0]?.aborted).toBe(true);
  await pawl.close();

  const patient = await place.open({ executors: { never } });
  const other = await patient.start({ workflow: limited, task: "Do it", executor: "never" });
  for await (const { type } of other.events()) if (type === "attempt_began") break;
  await patient.close();
  expect(signals[1]?.aborted).toBe(true);
  const later = await place.open();
  expect((await (await later.run(other.number)).status()).run.status).toBe("running");
});

test("[LB11] an executor gets the prompt, its tree, its place and a log, and its usage is counted", async () => {
  const place = newPlace();
  const calls: Record<string, unknown>[] = [];
  const pawl = await place.open({
    executors: {
      told: (call) => {
        calls.push({ ...call });
        call.print("on my way");
        return { text: "STATUS: done", usage: { costUsd: 0.5, inputTokens: 7 }, model: "mine-1" };
      },
    },
  });
  const run = await pawl.start({ workflow: single, task: "Greet", executor: "told" });
  expect((await run.wait()).run).toMatchObject({ status: "done", usage: { costUsd: 0.5, inputTokens: 7 } });
  expect(calls[0]).toMatchObject({ step: "work", story: null, attempt: 1, access: "write", model: null });
  expect(calls[0]?.["prompt"]).toContain("Greet");
  expect(calls[0]?.["cwd"]).toContain(run.id);
  expect(await run.cost()).toMatchObject({ byModel: [{ model: "mine-1" }] });
  for (const name of ["pull", "a,b", "command: x", ""])
    await expect(place.open({ executors: { [name]: () => "" } })).rejects.toMatchObject({ code: "USAGE" });
  await expect(place.open({ executors: { none: {} as never } })).rejects.toMatchObject({ code: "USAGE" });
});

test.each([
  [{ costUsd: undefined, inputTokens: 7 }, { costUsd: 0, inputTokens: 7 }, ""],
  [{ costUsd: Number.NaN, outputTokens: 2.4 }, { costUsd: 0, outputTokens: 2 }, "`usage.costUsd` is not counted"],
  [{ costUsd: "0.1", inputTokens: -5 }, { costUsd: null, inputTokens: null }, "`usage.inputTokens` is not counted"],
])(
  "[LB11] usage %j of an executor does not fail its attempt: what is not a number is not counted, with a note",
  async (usage, counted, note) => {
    const odd = () => ({ text: "STATUS: done", usage, model: 5 }) as never;
    const pawl = await newPlace().open({ executors: { odd } });
    const run = await pawl.start({ workflow: single, task: "x", executor: "odd" });
    expect((await run.wait()).run.status).toBe("done");
    expect((await run.cost()).total).toMatchObject({ attempts: 1, ...counted });
    const events: EventDocument[] = [];
    for await (const event of run.events()) events.push(event);
    expect(JSON.stringify(events.find(({ type }) => type === "attempt_ended"))).toContain(note);
  },
);

test("[LB12] a home opened twice in one process: both instances see and steer the same runs, and nothing is lost", async () => {
  const place = newPlace();
  const [one, other] = [await place.open(), await place.open()];
  const started = await Promise.all(
    [one, other, one, other].map((pawl, index) =>
      pawl.start({ workflow: asking, task: `Task ${index}`, executor: "ok" }),
    ),
  );
  const seen = await Promise.all(started.map((run) => run.wait()));
  expect(seen.map(({ run }) => run.status)).toEqual(["held", "held", "held", "held"]);
  expect((await one.runs()).map(({ number }) => number)).toEqual([4, 3, 2, 1]);
  // Answered through one instance; the one that drives the run continues on request.
  const [first] = started;
  await (await other.run(first?.id ?? "")).approve();
  await first?.resume();
  expect((await first?.wait())?.run.status).toBe("done");
  await other.close();
  expect((await one.runs()).length).toBe(4);
});

test("[LB13] after close, every call is refused with a clear error, and a second close does nothing", async () => {
  const pawl = await newPlace().open();
  const run = await pawl.start({ workflow: asking, task: "Do it", executor: "ok" });
  await run.wait();
  const following = typesOf(run.events({ until: "over" }));
  await Promise.all([pawl.close(), pawl.close()]);
  expect((await following).at(-1)).not.toBe("run_ended");
  const closed = { code: "REFUSED", message: "this Pawl is closed" };
  for (const call of [
    () => pawl.runs(),
    () => pawl.start({ workflow: single, task: "x" }),
    () => pawl.check(single),
    () => run.status(),
    () => run.approve(),
    () => run.resume(),
    () => run.wait(),
    () => typesOf(run.events()),
  ])
    await expect(call()).rejects.toMatchObject(closed);
});

test("[LB14 LB17] a run can be paused, resumed, stopped, told when to ask, retried and cancelled; impossible requests are refused", async () => {
  const place = newPlace();
  let fails = true;
  const shaky = () => {
    if (fails) throw new Error("not yet");
    return "STATUS: done";
  };
  const pawl = await place.open({ executors: { shaky, ok: () => "STATUS: done" } });
  const once = { ...single, steps: [{ ...single.steps[0], on_error: "fail" }] };
  const run = await pawl.start({ workflow: once, task: "Do it", executor: "shaky" });
  expect((await run.wait()).run.status).toBe("failed");
  await expect(run.resume()).rejects.toMatchObject({ code: "REFUSED" });
  fails = false;
  await run.retry();
  expect((await run.wait()).run.status).toBe("done");

  const other = await pawl.start({ workflow: asking, task: "Do it", executor: "ok" });
  await other.wait();
  expect((await other.pause()).status).toBe("paused");
  await other.resume();
  await other.setWaits("all");
  expect((await other.status()).waits).toBe("all");
  await expect(other.stopAttempt()).rejects.toMatchObject({ code: "REFUSED" });
  await other.stop();
  expect((await other.cancel("enough")).status).toBe("cancelled");
  await expect(other.cancel()).rejects.toMatchObject({ code: "REFUSED" });
  await expect(pawl.run(99)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("[LB18] a signal wakes a step, and a step or a story is dropped; the run that this process drives continues", async () => {
  const stories = ["US-1", "US-2"].map((id) => ({ id, title: id, description: "d", acceptanceCriteria: ["a"] }));
  const worker = ({ step, story, signal }: AgentCall) => {
    if (step === "plan") return `STORIES_JSON: ${JSON.stringify(stories)}\nSTATUS: done`;
    if (story !== "US-1") return "STATUS: done";
    return new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
  };
  const workflow = {
    pawl: 1,
    id: "waiting",
    agents: { worker: {} },
    steps: [
      { id: "wait", signal: "deploy-done", produces: ["url"] },
      { id: "never", signal: "never" },
      { id: "plan", agent: "worker", input: "plan for {{url}}" },
      { id: "all", stories: {}, body: [{ id: "code", agent: "worker", input: "{{current_story}}" }] },
    ],
  };
  const pawl = await newPlace().open({ executors: { worker } });
  const run = await pawl.start({ workflow, task: "Do it", executor: "worker" });
  await run.wait();
  await expect(run.signal("deploy-done")).rejects.toMatchObject({ code: "USAGE" });
  await expect(run.signal("other")).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(await run.signal("deploy-done", { url: "https://x.test" })).toMatchObject({ taken: "wait", status: "held" });
  await expect(run.dropStep("nothing")).rejects.toMatchObject({ code: "NOT_FOUND" });
  const dropped = await run.dropStep("never", { as: "done", reason: "not today" });
  expect(dropped).toMatchObject({ step: "never", as: "done", ended: true, status: "running" });
  for await (const { type, story } of run.events({ until: "over" }))
    if (type === "attempt_began" && story === "US-1") break;
  const story = await run.dropStory("US-1", { as: "done", reason: "bought" });
  expect(story).toMatchObject({ story: "US-1", as: "done", ended: false });
  await expect(run.dropStory("US-9")).rejects.toMatchObject({ code: "NOT_FOUND" });
  const over = await run.wait();
  expect([over.run.status, over.stories.map(({ status }) => status)]).toEqual(["done", ["done", "done"]]);
  expect(over.steps.map(({ status }) => status).slice(0, 3)).toEqual(["done", "done", "done"]);
});
