// A worker that cannot begin.

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
