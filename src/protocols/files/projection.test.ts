import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import type { Event } from "../../domain/event.ts";
import { runId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { type ProjectedFiles, Projection } from "./projection.ts";
import { readSidecar } from "./sidecar.ts";

const id = runId("k3x");

/** A growing log, and files that record how much of it they show. */
function scene({
  beforeEvents,
  ...more
}: Partial<ProjectedFiles> & { readonly beforeEvents?: () => Promise<void> } = {}) {
  const dir = join(tempDir(), "shown");
  mkdirSync(dir);
  const log: Event[] = [];
  const written: string[] = [];
  const open = (shown = Number.POSITIVE_INFINITY) => {
    let followed = 0;
    const trouble: unknown[] = [];
    const files: ProjectedFiles = {
      dir,
      follow: () => void (followed += 1),
      writeEntry: (_event, mark) => void written.push(mark),
      files: () => ({ [join(dir, "count")]: String(followed) }),
      ...more,
    };
    const source = {
      events: async (_run: unknown, after: number) => {
        await beforeEvents?.();
        return log.slice(after, shown).map((event, index) => ({ seq: after + index + 1, event }));
      },
      wholeRun: async () => ({ header: {}, stories: {} }) as unknown as Run,
      partOf: async () => ({ header: {}, stories: {} }) as unknown as Run,
      storySpecs: async () => [],
    };
    return { trouble, projection: new Projection(id, files, source, (why) => void trouble.push(why)) };
  };
  const happen = (count: number) =>
    log.push(...Array.from({ length: count }, (): Event => ({ type: "run_paused", at: 1, author: "x", story: null })));
  return { dir, written, open, happen, count: () => readFileSync(join(dir, "count"), "utf8") };
}

test("[PO7] a commit is shown soon, and all processes together write each event once", async () => {
  const { dir, written, open, happen, count } = scene();
  happen(3);
  const { projection } = open();
  projection.changed();
  await until(() => existsSync(join(dir, "count")));
  await projection.close();
  happen(2);
  await open().projection.close();
  expect(count()).toBe("5");
  expect(written).toEqual(["k3x:1", "k3x:2", "k3x:3", "k3x:4", "k3x:5"]);
  expect(readSidecar(join(dir, ".pawl.json"))).toEqual({ run: id, projected: 5 });
});

test("[PO7] a process that is behind does not overwrite newer files", async () => {
  const { open, happen, count } = scene();
  happen(5);
  await open().projection.flush();
  await open(3).projection.flush();
  expect(count()).toBe("5");
});

test("[PO7] a commit that comes while a projection is closed is shown as well", async () => {
  const { open, happen, count } = scene({
    writeEntry: (_event, mark) => {
      if (!mark.endsWith(":1")) return;
      happen(1);
      projection.changed();
    },
  });
  happen(1);
  const { projection } = open();
  await projection.close();
  expect(count()).toBe("2");
});

test("[PO7] a discarded folder is not created again", async () => {
  const { dir, open, happen } = scene();
  happen(1);
  const { projection } = open();
  await projection.flush();
  await projection.discard();
  happen(1);
  await projection.flush();
  await projection.close();
  expect(existsSync(dir)).toBe(false);
});

test("[PO7] a process that is about to write does not create a folder again that another one has discarded", async () => {
  let wait = Promise.resolve();
  const { dir, written, open, happen } = scene({ beforeEvents: () => wait });
  happen(1);
  const [closing, late] = [open(), open()];
  await closing.projection.flush();
  await late.projection.flush();
  happen(1);
  // It has begun to read what happened when the other one closes the run.
  const read = Promise.withResolvers<void>();
  wait = read.promise;
  const flushed = late.projection.flush();
  await closing.projection.discard();
  read.resolve();
  await flushed;
  late.projection.changed();
  await late.projection.close();
  expect([existsSync(dir), written, late.trouble]).toEqual([false, ["k3x:1"], []]);
});

test("[PO10] an event that cannot be written does not block the others, and the next process tries again", async () => {
  let isBroken = true;
  const written: string[] = [];
  const writeEntry = (_event: Event, mark: string) => {
    if (isBroken && mark.endsWith(":2")) throw new Error("boom");
    written.push(mark);
  };
  const { dir, open, happen, count } = scene({ writeEntry });
  happen(3);
  const { projection, trouble } = open();
  await projection.flush();
  expect(trouble).toEqual([new Error("boom")]);
  expect(written).toEqual(["k3x:1", "k3x:3"]);
  // What is written after it does not hide that it is missing.
  happen(1);
  await projection.flush();
  expect(written).toContain("k3x:4");
  expect(readSidecar(join(dir, ".pawl.json"))).toMatchObject({ projected: 1 });
  expect(count()).toBe("4");
  isBroken = false;
  await open().projection.flush();
  expect(written).toContain("k3x:2");
  expect(readSidecar(join(dir, ".pawl.json"))).toMatchObject({ projected: 4 });
});
