// What every store promises about messages that have arrived and browsers that subscribed, as tests. The rules are in docs/spec/push.md.

import { describe, expect, test } from "vitest";
import { agentStep, workflow } from "../../test/support/sample-runs.ts";
import { Transitions } from "../../test/support/transitions.ts";
import { type RunId, stepName } from "../domain/ids.ts";
import type { BrowserSubscription } from "../domain/push-subscription.ts";
import type { Store, StoredDelivery } from "./store.ts";

interface StoreUnderTest {
  readonly store: Store;
}

const gate = {
  kind: "gate",
  name: stepName("review"),
  title: "review",
  question: "Is it good?",
  options: { approve: { to: "next" }, reject: { to: "fail", reason: "no" } },
} as const;

async function asked(store: Store) {
  const runs = new Transitions(store);
  const run = await runs.start(workflow("asks", [agentStep("work"), gate]));
  await runs.perform(run, "work");
  const [open] = await store.openGates(run);
  if (!open) throw new Error("nothing is asked");
  const answer = async () =>
    await runs.apply(run, {
      type: "answer_gate",
      at: 50,
      author: "user:ada",
      story: null,
      gate: open.gate.id,
      option: "approve",
      note: "",
      tree: null,
    });
  return { run, gate: open.gate.id, answer };
}

/** As the runtime replaces a `notify` by deliveries. */
async function delivery(store: Store, run: RunId, receiver?: string): Promise<StoredDelivery> {
  const [notify] = (await store.dueEffects(1e15, 10)).filter(({ effect }) => effect.type === "notify");
  if (notify?.effect.type !== "notify") throw new Error("no message is there");
  const { message } = notify.effect;
  const more = receiver === undefined ? {} : { receiver };
  await store.replaceEffect(
    notify.id,
    [{ type: "deliver", run, target: "phone", message, id: `${run}.1`, ...more }],
    1,
  );
  const [due] = await deliveries(store);
  if (!due) throw new Error("no delivery is there");
  return due;
}

const deliveries = async (store: Store) => await store.dueDeliveries(1e15, 10, []);

/** `open` returns an empty database and closes it when the test ends. */
export function describeMessages(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name}: messages`, () => {
    test("[PU12] the commit that ends a question puts its messages into the outbox, once", async () => {
      const { store } = await open();
      const { run, gate: id, answer } = await asked(store);
      const sent = await delivery(store, run, "browser-1");
      await store.messageArrived(sent, id, "77", 2);
      expect(await deliveries(store)).toEqual([]);
      await answer();
      const marks = (await deliveries(store)).map(({ effect }) => effect);
      expect(marks).toEqual([{ ...sent.effect, mark: "77" }]);
    });

    test("[PU12] a question that is over is marked at once, and a delivery that another process ended changes nothing", async () => {
      const { store } = await open();
      const { run, gate: id, answer } = await asked(store);
      const sent = await delivery(store, run);
      await answer();
      await store.messageArrived(sent, id, "77", 2);
      await store.messageArrived(sent, id, "78", 2);
      expect((await deliveries(store)).map(({ effect }) => effect.mark)).toEqual(["77"]);
    });

    test("[PU12] what is known of the messages of a run goes with it", async () => {
      const { store } = await open();
      const { run, gate: id } = await asked(store);
      await store.messageArrived(await delivery(store, run), id, "77", 2);
      await new Transitions(store).apply(run, { type: "cancel_run", at: 60, author: "user:ada", reason: "enough" });
      expect((await deliveries(store)).map(({ effect }) => effect.mark)).toEqual(["77"]);
      await store.removeRun(run);
      expect(await deliveries(store)).toEqual([]);
    });

    test("[PU23] subscriptions are kept by their id, at most as many as are asked for", async () => {
      const { store } = await open();
      const browser = (id: string, createdAt: number): BrowserSubscription => ({
        id,
        endpoint: `https://push.example.com/${id}`,
        p256dh: "p",
        auth: "a",
        token: "t",
        createdAt,
      });
      const most = { inAll: 2, ofToken: 9 };
      expect(await store.putSubscription(browser("b", 2), most)).toBe("put");
      expect(await store.putSubscription(browser("a", 1), most)).toBe("put");
      expect(await store.putSubscription(browser("c", 3), most)).toBe("full");
      expect(await store.putSubscription({ ...browser("a", 1), auth: "new" }, most)).toBe("put");
      expect(await store.subscriptions()).toEqual([{ ...browser("a", 1), auth: "new" }, browser("b", 2)]);
      expect([await store.removeSubscription("a"), await store.removeSubscription("a")]).toEqual([true, false]);
      expect(await store.subscriptions()).toEqual([browser("b", 2)]);
    });
  });
}
