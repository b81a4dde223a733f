// A worker that cannot begin, and how many attempts one performs at once.

import { expect, onTestFinished, test, vi } from "vitest";
import { makeWorld } from "../../test/support/world.ts";
import { Application } from "../application/application.ts";
import { AppError } from "../domain/error.ts";
import { Worker } from "./worker.ts";

test("[WK7] a worker whose server goes away while it begins has begun nothing, so that its process ends", async () => {
  const world = await makeWorld({ agent: 'echo "STATUS: done"' });
  const run = await world.begin("first");
  const said: string[] = [];
  const start = async (app: Application) =>
    await Worker.start({ app, slots: 1, untilIdle: true, log: (event) => void said.push(event), times: { restMs: 1 } });
  const open = () => {
    const app = new Application({ cwd: world.dir, env: { ...process.env, PAWL_HOME: world.home.dir } });
    onTestFinished(async () => await app.close());
    return app;
  };
  const app = open();
  const { parts } = await app.read();
  const gone = new AppError("STORE_UNUSABLE", "the server is gone", { hint: "start it" });
  vi.spyOn(parts.dispatch, "attend").mockRejectedValueOnce(gone);
  await expect(start(app)).rejects.toBe(gone);
  await app.close();
  // It would look into its store, which is closed, many times before another one has finished the run.
  const other = await start(open());
  await other.ended;
  expect(await world.status(run)).toBe("done");
  expect(said).toEqual([]);
});

/** More than a driver takes at once where nothing is configured. */
const many = 6;

test("[WK2] slots say how many attempts a worker performs at once where nothing else is configured", async () => {
  const world = await makeWorld({
    // Each waits for all of them.
    agent: `touch "../here-$PAWL_RUN"; until [ "$(ls -d ../here-* | wc -l)" -ge ${many} ]; do sleep 0.05; done; echo "STATUS: done"`,
  });
  const runs = [];
  for (let each = 0; each < many; each += 1) runs.push(await world.begin("first"));
  const app = new Application({ cwd: world.dir, env: { ...process.env, PAWL_HOME: world.home.dir } });
  onTestFinished(async () => await app.close());
  const worker = await Worker.start({ app, slots: many, untilIdle: true, log: () => undefined });
  onTestFinished(async () => {
    worker.stop();
    await worker.ended;
  });
  await worker.ended;
  for (const run of runs) expect(await world.status(run)).toBe("done");
});
