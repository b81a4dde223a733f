// The target of all browsers that subscribed. Each gets deliveries of its own, so a push service that is down delays only its browsers.

import { messageKinds } from "../../domain/effect.ts";
import type { BrowserSubscription } from "../../domain/push-subscription.ts";
import type { Delivery, Target } from "../target.ts";
import type { PushSender } from "./push.ts";

/** Where subscriptions are kept. */
export interface Subscriptions {
  /** Those whose owner may still sign in. */
  list(): Promise<readonly BrowserSubscription[]>;
  remove(id: string): Promise<void>;
}

/** Not a name that a configuration can give. */
const browsersTarget = "@browsers";

const timeoutMs = 10_000;
const interesting = messageKinds.filter((kind) => kind !== "story_done");

/** `sender` is asked for when there is something to send. */
export function browsers(subscriptions: Subscriptions, sender: () => PushSender): Target {
  const send = async (
    receiver: string | undefined,
    how: (browser: BrowserSubscription, by: typeof import("./push.ts")) => Promise<Delivery>,
  ): Promise<Delivery> => {
    const browser = (await subscriptions.list()).find(({ id }) => id === receiver);
    if (browser === undefined) return { outcome: "dropped", why: "the browser is not subscribed any more" };
    const delivery = await how(browser, await import("./push.ts"));
    // The subscription is gone for good: nothing that is sent to it arrives.
    if (delivery.outcome === "dropped") await subscriptions.remove(browser.id);
    return delivery;
  };
  return {
    name: browsersTarget,
    on: interesting,
    timeoutMs,
    missing: () => null,
    receivers: async () => (await subscriptions.list()).map(({ id }) => id),
    deliver: async (notice, call) =>
      await send(call.receiver, async (browser, { pushTo }) => await pushTo(sender(), browser, notice, call)),
    mark: async (notice, { how }, call) =>
      await send(call.receiver, async (browser, { pushOver }) => await pushOver(sender(), browser, notice, how, call)),
  };
}
