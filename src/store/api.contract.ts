// What every store promises the HTTP API, as tests: pages of runs, tokens, keys of requests. The rules are in docs/spec/store.md.

import { describe, expect, test } from "vitest";
import { chainOf, startOf } from "../../test/support/sample-runs.ts";
import { Transitions } from "../../test/support/transitions.ts";
import { runId } from "../domain/ids.ts";
import type { RunFilter, Store } from "./store.ts";

interface StoreUnderTest {
  readonly store: Store;
  another(): Promise<Store>;
}

/** `open` returns an empty database and closes it when the test ends. */
export function describeApiTables(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name}: the HTTP API`, () => {
    test("[SO41] the next page begins after the last run of this one, also when new runs have come", async () => {
      const { store } = await open();
      const runs = new Transitions(store);
      const numbers = async (filter: Partial<RunFilter> = {}) =>
        (await store.listRuns({ statuses: null, limit: 2, ...filter })).map(({ number }) => number);
      const ids = [];
      for (let count = 0; count < 5; count += 1) ids.push(await runs.start(chainOf(1)));
      for (const paused of ids.slice(0, 3)) await runs.apply(paused, { type: "pause_run", at: 5, author: "user:ada" });
      expect(await numbers()).toEqual([5, 4]);
      await runs.start(chainOf(1));
      expect(await numbers({ before: 4 })).toEqual([3, 2]);
      expect(await numbers({ before: 2 })).toEqual([1]);
      expect(await numbers({ before: 1 })).toEqual([]);
      expect(await numbers({ before: 3, statuses: ["paused"] })).toEqual([2, 1]);
      expect(await numbers({ before: 5, statuses: ["paused", "running"] })).toEqual([4, 3]);
    });

    test("[SO41] runs are found by words of their task and workflow, whatever the case, and by number", async () => {
      const { store } = await open();
      const runs = new Transitions(store);
      for (const task of ["Add a LOGIN page", "100% of it", "100 of it", "a_b", "aXb", "Grüße an 2"])
        await runs.start(chainOf(1), { task });
      const found = async (search: string, more: Partial<RunFilter> = {}) =>
        (await store.listRuns({ statuses: null, limit: 10, ...more, search })).map(({ number }) => number);
      expect(await found("login")).toEqual([1]);
      expect(await found("100%")).toEqual([2]);
      expect(await found("a_b")).toEqual([4]);
      expect(await found("grüße")).toEqual([6]);
      expect(await found("#2")).toEqual([2]);
      expect(await found("2")).toEqual([6, 2]);
      expect(await found("2", { before: 6, statuses: ["running"] })).toEqual([2]);
      expect(await found(chainOf(1).id)).toEqual([6, 5, 4, 3, 2, 1]);
      expect(await found("\\")).toEqual([]);
    });

    test("[SO44] the repositories and shared folders of all runs are listed once, the newest first", async () => {
      const { store } = await open();
      const runs = new Transitions(store);
      const { place } = startOf(chainOf(1));
      expect(await store.places()).toEqual({ repos: [], shared: [] });
      for (const [repo, shared] of [
        ["/a", "/a/.ai"],
        ["/b", null],
        ["/a", "/a/.ai"],
        [null, "/c"],
      ] as const)
        await runs.start(chainOf(1), { place: { ...place, repo, ...(shared === null ? {} : { shared }) } });
      expect(await store.places()).toEqual({ repos: ["/a", "/b"], shared: ["/c", "/a/.ai"] });
    });

    test("[SO42] a token is found by its hash by every process, and by none after it was removed", async () => {
      const { store, another } = await open();
      const token = { name: "ci", role: "answer", hash: "h1", createdAt: 1, expiresAt: 9 } as const;
      expect(await store.addToken(token)).toBe(true);
      expect(await store.addToken({ ...token, hash: "h2" })).toBe(false);
      const other = await another();
      const { hash: _, ...shown } = token;
      expect(await other.tokenByHash("h1")).toEqual({ ...shown, usedAt: null });
      expect(await other.tokenByHash("h2")).toBeNull();
      await store.tokenUsed("ci", 5);
      expect(await other.tokens()).toEqual([{ ...shown, usedAt: 5 }]);
      expect(await other.removeToken("ci")).toBe(true);
      expect(await other.removeToken("ci")).toBe(false);
      expect(await store.tokenByHash("h1")).toBeNull();
    });

    test("[SO45] a code signs one browser in, however many try at once, and none after its time", async () => {
      const { store, another } = await open();
      const other = await another();
      const token = (name: string, createdAt: number) => ({ name, hash: `of ${name}`, createdAt, expiresAt: 99 });
      await store.addSignInCode({ hash: "c1", role: "operate", expiresAt: 10 }, 1);
      await store.addSignInCode({ hash: "c2", role: "read", expiresAt: 10 }, 1);
      expect(await store.signIn("c0", token("wrong", 2))).toBeNull();
      const tries = [store, other, store, other].map((each, at) => each.signIn("c1", token(`b${at}`, 2)));
      expect((await Promise.all(tries)).filter((role) => role !== null)).toEqual(["operate"]);
      expect(await store.tokens()).toMatchObject([{ role: "operate", createdAt: 2, expiresAt: 99, usedAt: null }]);
      expect(await other.signIn("c1", token("again", 3))).toBeNull();
      expect(await other.signIn("c2", token("late", 10))).toBeNull();
      // A name that is taken: the code can still be used.
      const [taken] = await store.tokens();
      await expect(other.signIn("c2", token(taken?.name ?? "", 9))).rejects.toThrow(taken?.name);
      expect(await other.signIn("c2", token("last", 9))).toBe("read");
      await store.addSignInCode({ hash: "c1", role: "read", expiresAt: 30 }, 20);
      expect(await store.signIn("c1", token("later", 21))).toBe("read");
    });

    test("[SO43] the first request under a key is kept, for each author, until it is forgotten", async () => {
      const { store } = await open();
      const first = { author: "token:a", key: "k", request: "r1", run: runId("one"), createdAt: 1 };
      const second = { ...first, request: "r2", run: runId("two"), createdAt: 2 };
      expect(await store.keepStartKey(first)).toEqual(first);
      expect(await store.keepStartKey(second)).toEqual(first);
      expect(await store.keepStartKey({ ...second, author: "token:b" })).toMatchObject({ run: "two" });
      await store.forgetStartKey(first);
      expect(await store.keepStartKey(second)).toEqual(second);
    });
  });
}
