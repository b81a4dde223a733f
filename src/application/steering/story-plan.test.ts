// Changing the stories of a run that lasts: added, edited, moved and left out, while another one is at work.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { tinyRalph } from "../../../test/support/tiny-ralph.ts";
import { until } from "../../../test/support/until.ts";
import { Application } from "../application.ts";
import { status } from "../looking/status.ts";
import { runProject } from "../starting/stories-given.ts";
import { dropOneStory } from "./drop.ts";
import { addStoriesTo, editStory, moveStory } from "./story-plan.ts";

test("[SC1 SC2 SC3 SC4 SC5 SC6] what has not started is added, edited, moved and left out; what has started is refused", async () => {
  const dir = tempDir("pawl-plan-");
  makeRepository(undefined, { dir: join(dir, "repo") });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "workflow.yml"), tinyRalph);
  const prd = join(dir, "prd.json");
  const ids = ["A", "B", "C", "D"];
  const userStories = ids.map((id) => ({ id, title: `Title of ${id}`, dependsOn: id === "D" ? ["C"] : [] }));
  writeFileSync(prd, JSON.stringify({ project: "Demo", userStories }));
  const hold = `if [ "$PAWL_STORY" = A ]; then touch '${dir}/begun'; until [ -e '${dir}/go' ]; do sleep 0.05; done; fi`;
  writeFileSync(
    join(dir, "agent.sh"),
    `cat >"${dir}/$PAWL_STORY.prompt"; echo "$PAWL_STORY" >>'${dir}/calls'; ${hold}; echo x >"$PAWL_STORY.txt"; printf 'SUMMARY\\nfine\\n'\n`,
  );
  const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" } });
  onTestFinished(async () => await app.close());
  const executor = "command: sh ./agent.sh";
  const request = { workflow: "./workflow.yml", repo: "repo", executor, protocol: "ralph" } as const;
  const driven = runProject(app, "prd.json", { ...request, signal: new AbortController().signal });
  await until(() => existsSync(join(dir, "begun")));

  const added = await addStoriesTo(app, "1", [
    { id: "E", title: " Find\n it ", criteria: ["finds titles"], after: ["B"] },
  ]);
  expect(added).toMatchObject({ changed: ["E"], order: ["B", "C", "D", "E"], status: "running" });
  expect(await editStory(app, "1", "B", { title: "Sort", criteria: ["newest first"] })).toMatchObject({
    order: ["B", "C", "D", "E"],
  });
  expect(await moveStory(app, "1", "D", { first: true })).toMatchObject({ order: ["D", "B", "C", "E"] });
  expect(await moveStory(app, "1", "C", { before: "B" })).toMatchObject({ order: ["D", "C", "B", "E"] });
  expect(await moveStory(app, "1", "C", { after: "B" })).toMatchObject({ order: ["D", "B", "C", "E"] });
  expect(await dropOneStory(app, "1", "C", { as: "done", onlyUnbegun: true })).toMatchObject({
    story: "C",
    ended: true,
  });
  // Started again, the file takes nothing of that back.
  expect(await runProject(app, "prd.json", request)).toMatchObject({ kind: "continued" });

  const before = (await status(app, "1")).document.stories;
  const begun = { code: "REFUSED", message: expect.stringContaining("story A is running") };
  await expect(editStory(app, "1", "A", { title: "Other" })).rejects.toMatchObject(begun);
  await expect(moveStory(app, "1", "A", { first: true })).rejects.toMatchObject(begun);
  await expect(dropOneStory(app, "1", "A", { as: "done", onlyUnbegun: true })).rejects.toMatchObject(begun);
  await expect(addStoriesTo(app, "1", [{ id: "e", title: "Twice" }])).rejects.toMatchObject({ code: "REFUSED" });
  await expect(addStoriesTo(app, "1", [{ id: "../x", title: "No" }])).rejects.toMatchObject({ code: "USAGE" });
  await expect(addStoriesTo(app, "1", [{ id: "F", title: "F", after: ["X"] }])).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  expect((await status(app, "1")).document.stories.map(({ id, title }) => [id, title])).toEqual(
    before.map(({ id, title }) => [id, title]),
  );

  writeFileSync(join(dir, "go"), "");
  expect(await driven).toMatchObject({ end: "done" });
  expect(readFileSync(join(dir, "calls"), "utf8").trim().split("\n")).toEqual(["A", "D", "B", "E"]);
  expect(readFileSync(join(dir, "B.prompt"), "utf8")).toMatch(/Sort[^]*newest first/);
  const passes = (JSON.parse(readFileSync(prd, "utf8")) as { userStories: { passes?: boolean }[] }).userStories;
  expect(passes.map((story) => story.passes ?? false)).toEqual([true, true, false, true]);
  await expect(addStoriesTo(app, "1", [{ id: "G", title: "G" }])).rejects.toMatchObject({ code: "REFUSED" });
});
