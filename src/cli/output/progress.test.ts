// Progress while the store cannot be read.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { Application } from "../../application/application.ts";
import { start } from "../../application/starting/start.ts";
import { AppError } from "../../domain/error.ts";
import { runId } from "../../domain/ids.ts";
import { Console } from "./console.ts";
import { Progress } from "./progress.ts";

async function makeScene() {
  const dir = tempDir("pawl-progress-");
  const repo = makeRepository({ "README.md": "# a project\n" }, { dir: join(dir, "repo") });
  writeFileSync(
    join(dir, "one.yml"),
    "pawl: 1\nid: one\nagents: { worker: {} }\nsteps: [{ id: work, agent: worker }]\n",
  );
  const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" } });
  onTestFinished(async () => await app.close());
  const { run } = await start(app, { workflow: "./one.yml", task: "do it", repo, mayWait: true });
  const { store } = (await app.read()).parts;
  const console = new Console(false);
  const said: string[] = [];
  vi.spyOn(console, "say").mockImplementation((text) => void said.push(text));
  return { store, said, begin: () => new Progress(app, runId(run), console, "lines", 0) };
}

const away = new AppError("STORE_UNUSABLE", "the store cannot be reached", { hint: "start it" });

test("[CM161] a store that cannot be read for a while is said once, and what happened meanwhile is shown then", async () => {
  const { store, said, begin } = await makeScene();
  const events = vi.spyOn(store, "events").mockRejectedValueOnce(away).mockRejectedValueOnce(away);
  const progress = begin();
  await expect.poll(() => said.join("\n"), { timeout: 20_000 }).toContain("run started: one");
  await progress.close();
  expect(events.mock.calls.length).toBeGreaterThan(2);
  expect(said.filter((text) => text.includes("progress cannot be shown: the store cannot be reached"))).toHaveLength(1);
});

test("[CM161] one that is damaged ends neither the process nor the drive", async () => {
  const { store, said, begin } = await makeScene();
  vi.spyOn(store, "events").mockRejectedValue(away);
  const progress = begin();
  await expect.poll(() => said.length).toBe(1);
  await progress.close();
  expect(said).toEqual([expect.stringContaining("progress cannot be shown")]);
});
