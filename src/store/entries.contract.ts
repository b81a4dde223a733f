// What every store promises about story entries, as tests. The rules are in docs/spec/store.md.

import type { Kysely } from "kysely";
import { describe, expect, test } from "vitest";
import { expectRowsToEqualLogs, wholeLog } from "../../test/support/logs.ts";
import { chooser, nextCommand } from "../../test/support/random-run.ts";
import { completed, everything, finishOf, startAttemptOf, storyOf } from "../../test/support/sample-runs.ts";
import { Transitions } from "../../test/support/transitions.ts";
import { type RunId, storyId } from "../domain/ids.ts";
import type { Header } from "../domain/run.ts";
import { replay } from "../engine/evolve.ts";
import type { Tables } from "./schema.ts";
import type { Store } from "./store.ts";

interface StoreUnderTest {
  readonly store: Store;
  another(): Promise<Store>;
  readonly query: <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;
}

/** `open` returns an empty database and closes it when the test ends. */
export function describeEntries(name: string, open: () => Promise<StoreUnderTest>, walks = 6): void {
  const scenario = (title: string, body: (under: StoreUnderTest & { runs: Transitions }) => Promise<void>) =>
    test(title, async () => {
      const under = await open();
      await body({ ...under, runs: new Transitions(under.store) });
      await expectRowsToEqualLogs(await under.another());
    });

  describe(`${name}: entries of stories`, () => {
    scenario("[SO31] unchanged entries are neither read nor written", async ({ store, another, runs, query }) => {
      const run = await planned(runs, "A", "B", "C", "D", "E");
      const before = await entryRows(query);
      const spoil = (text: string) =>
        query((db) => db.updateTable("stories").set({ entry: text }).where("id", "=", "E").execute());
      await spoil("not to be read");
      await finish(runs, run, "A");
      expect(statusesOf(await load(store, run))).toBe("A:done B:running C:running D:running E:waiting");
      await expect(load(await another(), run)).rejects.toThrow("cannot be read");
      await spoil(before.get("E")?.entry ?? "");
      const after = await entryRows(query);
      const changed = [...after].filter(([id, { changed }]) => changed !== before.get(id)?.changed);
      expect(changed.map(([id]) => id)).toStrictEqual(["A", "D"]);
    });

    scenario(
      "[SO33] attempts that have ended, and a header that has not changed, are read once",
      async ({ store, another, runs, query }) => {
        const run = await planned(runs, "A", "B");
        await runs.perform(run, "code", completed(), storyId("A"));
        await store.transaction((tx) => tx.load(run, () => [storyId("A")]));
        const rows = await query((db) => db.selectFrom("attempts").select(["id", "body"]).execute());
        const [{ header } = { header: "" }] = await query((db) => db.selectFrom("runs").select("header").execute());
        await query((db) => db.updateTable("attempts").set({ body: "not to be read" }).execute());
        await query((db) => db.updateTable("runs").set({ header: "not to be read" }).execute());
        await runs.perform(run, "verify", completed(), storyId("A"));
        const found = await store.transaction((tx) => tx.load(run, () => [storyId("A")]));
        expect(found?.run.stories[storyId("A")]?.attempts.map(({ name }) => name)).toEqual(["code", "verify"]);
        await expect(load(await another(), run)).rejects.toThrow("cannot be read");
        // The end of the story has written the header; the attempts are as they were.
        for (const { id, body } of rows) {
          await query((db) => db.updateTable("attempts").set({ body }).where("id", "=", id).execute());
        }
        const [{ header: written } = { header: "" }] = await query((db) =>
          db.selectFrom("runs").select("header").execute(),
        );
        if (written === "not to be read") await query((db) => db.updateTable("runs").set({ header }).execute());
      },
    );

    scenario(
      "[SO33] attempts that another process ended are seen, and those of a rolled-back transaction are not",
      async ({ store, another, runs }) => {
        const run = await planned(runs, "A", "B");
        const others = new Transitions(await another());
        const attempts = async (of: Store) => {
          const loaded = await of.transaction((tx) => tx.load(run, () => [storyId("A")]));
          return loaded?.run.stories[storyId("A")]?.attempts.map(({ name, state }) => `${name} ${state.phase}`);
        };
        const start = startAttemptOf("code", { story: storyId("A") });
        await runs.apply(run, start);
        const failing = store.transaction(async (tx) => {
          await runs.applyIn(tx, run, finishOf(start.attempt, completed(), { story: storyId("A") }));
          const loaded = await tx.load(run, () => [storyId("A")]);
          expect(loaded?.run.stories[storyId("A")]?.attempts[0]?.state.phase).toBe("ended");
          throw new Error("the power went out");
        });
        await expect(failing).rejects.toThrow("the power went out");
        expect(await attempts(store)).toEqual(["code dispatched"]);
        await others.apply(run, finishOf(start.attempt, completed(), { story: storyId("A") }));
        expect(await attempts(store)).toEqual(["code ended"]);
        await others.perform(run, "verify", completed(), storyId("A"));
        expect(await attempts(store)).toEqual(["code ended", "verify ended"]);
      },
    );

    scenario(
      "[SO31] entries that another process changed, planned or dropped are seen",
      async ({ store, another, runs }) => {
        const run = await planned(runs, "A", "B", "C", "D");
        const others = new Transitions(await another());
        await finish(others, run, "A");
        expect(statusesOf(await load(store, run))).toBe("A:done B:running C:running D:running");
        await finish(runs, run, "B");
        await finish(others, run, "C");
        expect(statusesOf(await load(store, run))).toBe(statusesOf(await load(others.store, run)));
        const stories = [storyOf("E"), storyOf("F")];
        await others.apply(run, { type: "add_stories", at: 4000, author: "user:ada", stories });
        expect(statusesOf(await load(store, run))).toBe("A:done B:done C:done D:running E:running F:running");
      },
    );

    scenario(
      "[SO31] rolled-back entries are not seen, even if their version number is used again",
      async ({ store, another, runs }) => {
        const run = await planned(runs, "A", "B", "C", "D");
        await runs.perform(run, "code", completed(), storyId("A"));
        const failing = store.transaction(async (tx) => {
          const start = startAttemptOf("verify", { story: storyId("A") });
          await runs.applyIn(tx, run, start);
          await runs.applyIn(tx, run, finishOf(start.attempt, completed(), { story: storyId("A") }));
          const loaded = await tx.load(run, () => []);
          expect(statusesOf(loaded?.run.header)).toBe("A:done B:running C:running D:running");
          throw new Error("the power went out");
        });
        await expect(failing).rejects.toThrow("the power went out");
        expect(statusesOf(await load(store, run))).toBe("A:running B:running C:running D:waiting");
        // The other process commits the same version number, with a different story done.
        const others = new Transitions(await another());
        await finish(others, run, "B");
        expect(statusesOf(await load(store, run))).toBe("A:running B:done C:running D:running");
      },
    );

    scenario(
      "[SO31] [SO33] after any walk by several processes each of them sees what is in the log",
      async ({ store, another }) => {
        const stores = [store, await another(), await another()];
        for (let walk = 1; walk <= walks; walk += 1) {
          const choose = chooser(walk);
          const id = await new Transitions(store).start(everything);
          for (let step = 0; step < 60; step += 1) {
            const acting = stores[choose(stores.length)] ?? store;
            const run = await acting.wholeRun(id);
            if (!run || (run.header.end && run.header.end.status !== "failed")) break;
            await applyMaybe(acting, id, nextCommand(run, 2000 + step * 10, choose), choose(4) > 0);
            const expected = replay(await wholeLog(store, id));
            const looking = stores[choose(stores.length)] ?? store;
            const { stories, chain, context, attempts } = await load(looking, id);
            expect({ stories, chain, context, attempts }).toStrictEqual(partsOf(expected?.header));
          }
        }
      },
    );
  });
}

/** A run whose first three stories are at work. */
async function planned(runs: Transitions, ...ids: readonly string[]): Promise<RunId> {
  const run = await runs.start(everything);
  await runs.perform(run, "plan", completed({ stories: ids.map((id) => storyOf(id)) }));
  return run;
}

async function finish(runs: Transitions, run: RunId, story: string): Promise<void> {
  for (const step of ["code", "verify"]) await runs.perform(run, step, completed(), storyId(story));
}

async function load(store: Store, run: RunId): Promise<Header> {
  const loaded = await store.transaction((tx) => tx.load(run, () => []));
  if (!loaded) throw new Error(`there is no run ${run}`);
  return loaded.run.header;
}

function partsOf(header: Header | undefined) {
  const { stories, chain, context, attempts } = header ?? {};
  return { stories, chain, context, attempts };
}

function statusesOf(header: Header | undefined): string {
  return header?.stories.map(({ id, status }) => `${id}:${status}`).join(" ") ?? "";
}

async function entryRows(query: StoreUnderTest["query"]) {
  const rows = await query((db) => db.selectFrom("stories").select(["id", "entry", "changed"]).execute());
  return new Map(rows.map(({ id, entry, changed }) => [id, { entry, changed }]));
}

/** Commits a transition, or rolls it back at its end. */
async function applyMaybe(store: Store, run: RunId, command: Parameters<Transitions["apply"]>[1], commits: boolean) {
  const runs = new Transitions(store);
  const rolledBack = new Error("rolled back");
  try {
    await store.transaction(async (tx) => {
      await runs.applyIn(tx, run, command);
      await tx.load(run, () => []);
      if (!commits) throw rolledBack;
    });
  } catch (error) {
    if (error !== rolledBack) throw error;
  }
}
