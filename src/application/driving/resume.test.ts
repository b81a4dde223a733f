// Resuming a run that another process takes to its end at the same moment.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { Application } from "../application.ts";
import { start } from "../starting/start.ts";
import { resume } from "./drive.ts";

test.each([
  ["done", "echo STATUS: done", "done"],
  ["failed", "exit 1", expect.stringContaining("the run has failed")],
])("[CM152] a run that is %s before `resume` lets it move is shown with its end", async (end, agent, later) => {
  const dir = tempDir("pawl-resume-");
  const repo = makeRepository({ "README.md": "# a project\n" }, { dir: join(dir, "repo") });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "agent.sh"), `${agent}\n`);
  writeFileSync(
    join(dir, "one.yml"),
    "pawl: 1\nid: one\nagents: { worker: {} }\nsteps: [{ id: work, agent: worker, on_error: fail }]\n",
  );
  const open = () => {
    const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" } });
    onTestFinished(async () => await app.close());
    return app;
  };
  const [app, other] = [open(), open()];
  const { signal } = new AbortController();
  const executor = `command: sh ${join(dir, "agent.sh")}`;
  await start(app, { workflow: "./one.yml", task: "do it", repo, executor, context: {} });

  // It has looked the run up, and found it running.
  const change = app.change.bind(app);
  vi.spyOn(app, "change").mockImplementationOnce(async (where, work) => {
    await resume(other, "1", { signal });
    return await change(where, work);
  });
  expect((await resume(app, "1", { signal })).end).toBe(end);
  const again = await resume(app, "1", { signal }).then(
    (driven) => driven.end,
    (error: Error) => error.message,
  );
  expect(again).toEqual(later);
});
