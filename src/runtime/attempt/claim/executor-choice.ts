// Chooses the executor of a step: the first one whose account is not held.

import type { Hold } from "../../../store/store.ts";
import { localTime } from "../../../system/local-time.ts";
import type { Executors } from "../../parts.ts";

export type Choice =
  | { readonly kind: "chosen"; readonly name: string; readonly hold: Hold | null; readonly insteadOf: string | null }
  /** The account of every executor that could perform it is held. */
  | { readonly kind: "held"; readonly until: number; readonly why: string }
  | { readonly kind: "none" };

/**
 * Where all accounts are held, an executor that is only not logged in is tried all the same: a person may have logged in meanwhile,
 * and if not, they are asked to.
 */
export function choose(
  { accountOf }: Pick<Executors, "accountOf">,
  names: readonly string[],
  holds: readonly Hold[],
  now: number,
): Choice {
  const [first] = names;
  if (first === undefined) return { kind: "none" };
  const holdOf = (name: string) => {
    const whose = accountOf(name);
    return (whose === null ? undefined : holds.find(({ account }) => account === whose)) ?? null;
  };
  const isHeld = (hold: Hold | null) => hold !== null && hold.until > now;
  const free = names.find((name) => !isHeld(holdOf(name)));
  if (free !== undefined) {
    const reason = free === first ? null : (holdOf(first)?.why ?? null);
    return {
      kind: "chosen",
      name: free,
      hold: holdOf(free),
      insteadOf: reason === null ? null : `${first}: ${reason}`,
    };
  }
  const notLoggedIn = names.find((name) => holdOf(name)?.cause === "auth");
  if (notLoggedIn !== undefined)
    return { kind: "chosen", name: notLoggedIn, hold: holdOf(notLoggedIn), insteadOf: null };
  const held = names.flatMap((name) => holdOf(name) ?? []);
  const until = Math.min(...held.map((hold) => hold.until));
  const next = held.find((hold) => hold.until === until);
  const when = localTime(until, now);
  return { kind: "held", until, why: `the account ${next?.account ?? ""} until ${when} (${next?.why ?? ""})` };
}
