import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { Application } from "../application.ts";
import { addStory, importStories } from "./add-story.ts";
import { initProject } from "./init.ts";

async function project(): Promise<{ readonly app: Application; readonly dir: string }> {
  const dir = tempDir();
  const app = new Application({ cwd: dir, env: { PAWL_HOME: join(tempDir(), "home") } });
  await initProject(app, {});
  return { app, dir };
}

test("[PJ3 D54] stories queue in order, with what they wait for, their size and their text", async () => {
  const { app, dir } = await project();
  await addStory(app, { story: "US-001", title: "Cart" });
  writeFileSync(join(dir, "checkout.txt"), "Pay and clear the cart.");
  const added = await addStory(app, {
    story: "US-002",
    title: "Checkout  flow",
    after: ["US-001"],
    size: "M",
    parallel: true,
    text: "checkout.txt",
  });
  expect(added).toEqual({
    added: ["US-002"],
    stories: [
      { id: "US-001", title: "Cart", dependsOn: [] },
      { id: "US-002", title: "Checkout flow [M] [P]", dependsOn: ["US-001"] },
    ],
    notes: [],
  });
  expect(readFileSync(join(dir, ".ai/stories.json"), "utf8")).toContain("Pay and clear the cart.");
  writeFileSync(
    join(dir, "prd.json"),
    JSON.stringify([
      { id: "US-002", title: "x" },
      { id: "US-003", title: "History" },
    ]),
  );
  const imported = await importStories(app, { file: "prd.json" });
  expect([imported.added, imported.stories.length]).toEqual([["US-003"], 3]);
  expect(imported.notes.at(-1)).toBe("1 story was there already and stays as it is");
  await app.close();
});

test.each([
  [{ story: "../x", title: "a" }, "USAGE"],
  [{ story: "done", title: "a" }, "USAGE"],
  [{ story: "US-9", title: "  " }, "USAGE"],
  [{ story: "US-9", title: "a", size: "XL" }, "USAGE"],
  [{ story: "US-9", title: "a", after: ["US-8"] }, "NOT_FOUND"],
  [{ story: "US-001", title: "again" }, "REFUSED"],
])("[PJ3] %j is refused, and nothing is changed", async (request, code) => {
  const { app, dir } = await project();
  await addStory(app, { story: "US-001", title: "Cart" });
  const before = readFileSync(join(dir, ".ai/stories.json"), "utf8");
  expect(await addStory(app, request).catch((error: unknown) => error)).toMatchObject({ code });
  expect(readFileSync(join(dir, ".ai/stories.json"), "utf8")).toBe(before);
  await app.close();
});

test("[PJ3] a folder without .ai/ is told how to get one", async () => {
  const app = new Application({ cwd: tempDir(), env: { PAWL_HOME: join(tempDir(), "home") } });
  const error = await addStory(app, { story: "US-1", title: "a" }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "NOT_FOUND", hint: expect.stringContaining("pawl project init") as string });
});
