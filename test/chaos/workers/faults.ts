// The faults of a campaign with workers, and how each is done. Those that last go on beside the others.

import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Choose } from "../../support/random-run.ts";
import type { Member } from "./member.ts";
import { drivenBy, eventsOf, haveBeenLost, heldBy, type WorkerScene } from "./scene.ts";

/** How often each is among twenty-five. */
const shares = {
  "worker killed": 5,
  "service killed": 2,
  "server stopped": 2,
  "server killed": 2,
  "connection killed": 1,
  "standby promoted": 1,
  "stood still": 2,
  "cut off in silence": 1,
  "cut off": 2,
  "clock set": 2,
  "frozen past its heartbeat": 1,
  "cut off past its heartbeat": 1,
  "guest killed": 1,
  "guest frozen past its heartbeat": 1,
  "guest cut off past its heartbeat": 1,
} as const;

export type Fault = keyof typeof shares;

/**
 * Those that last come first, in this order, because the others fit beside them. What a guest had when it was killed is begun again only
 * after its heartbeat, and until then there is less for guests to do.
 */
const lasting: readonly Fault[] = [
  "guest killed",
  "frozen past its heartbeat",
  "cut off past its heartbeat",
  "guest frozen past its heartbeat",
  "guest cut off past its heartbeat",
];

/** What is done, in a campaign with guests or without. */
export function kindsOfFaults(guests: number): readonly Fault[] {
  return (Object.keys(shares) as readonly Fault[]).filter((fault) => guests > 0 || !fault.startsWith("guest"));
}

/** Every fault as often as its share, in an order that the seed chooses. */
export function deck(choose: Choose, guests: number): readonly Fault[] {
  const cards = kindsOfFaults(guests).flatMap((fault) =>
    Array.from({ length: shares[fault] }, () => ({ fault, place: choose(1_000_000) })),
  );
  const order = ({ fault, place }: (typeof cards)[number]) => {
    return lasting.includes(fault) ? lasting.indexOf(fault) - lasting.length : place;
  };
  return cards.toSorted((a, b) => order(a) - order(b)).map(({ fault }) => fault);
}

/** A process that is not heard of for this long has lost its attempts by then, wherever their run is driven. */
const longestMs = 90_000;
/** How long a fault waits at most for the moment that it wants. */
const momentMs = 1_500;
/** How long it looks for a process that performs an attempt. */
const busyMs = 20_000;
/** How much of that for one whose runs are driven by others. */
const bestMs = 8_000;
/** How long it waits for one to which nothing else is being done. */
const freeMs = 2_000;

export class Faults {
  readonly counts: Partial<Record<Fault, number>> = {};
  /** Attempts that a process lost while it stood still or was cut off. */
  displaced = 0;
  readonly #scene: WorkerScene;
  readonly #choose: Choose;
  readonly #lasting = new Set<Promise<void>>();

  constructor(scene: WorkerScene, choose: Choose) {
    this.#scene = scene;
    this.#choose = choose;
  }

  get done(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when the next one may come; false: it found nobody to strike, and does not count. */
  async strike(fault: Fault): Promise<boolean> {
    await this.#moment();
    this.#log(fault);
    const isDone = await this.#do(fault);
    if (isDone) this.counts[fault] = (this.counts[fault] ?? 0) + 1;
    else this.#log("  of nobody");
    return isDone;
  }

  /** Resolves when nothing is wrong any more. */
  async heal(): Promise<void> {
    await Promise.all(this.#lasting);
  }

  /** What was done when, for those who look for the reason of a violation. */
  #log(what: string): void {
    appendFileSync(join(this.#scene.dir, "faults.log"), `${new Date().toISOString()} ${what}\n`);
  }

  /** False: nobody was there to whom it could be done. */
  async #do(fault: Fault): Promise<boolean> {
    const { server } = this.#scene;
    switch (fault) {
      case "worker killed":
        return await this.#kill("worker");
      case "guest killed":
        return await this.#kill("guest");
      case "service killed":
        return await this.#kill("service");
      case "server stopped":
        return await this.#away(() => server.stopAtOnce());
      case "server killed":
        return await this.#away(() => server.kill());
      case "connection killed":
        return await this.#toServer(() => server.killBackend(this.#choose));
      case "standby promoted":
        return await this.#toServer(() => this.#promoteStandby());
      case "stood still":
        return await this.#afflict("any", (member) => this.#stand(member, 200 + this.#choose(3_000)));
      case "cut off in silence":
        return await this.#afflict("any", (member) => this.#part(member, "silent", 200 + this.#choose(5_000)));
      case "cut off":
        return await this.#afflict("any", (member) => this.#part(member, "closed", 200 + this.#choose(3_000)));
      case "clock set":
        return this.#setClock();
      case "frozen past its heartbeat":
        return await this.#afflict("worker", (member) => this.#outlast(member, "frozen"));
      case "cut off past its heartbeat":
        return await this.#afflict("worker", (member) => this.#outlast(member, "cut off"));
      case "guest frozen past its heartbeat":
        return await this.#afflict("guest", (member) => this.#outlast(member, "frozen"));
      case "guest cut off past its heartbeat":
        return await this.#afflict("guest", (member) => this.#outlast(member, "cut off"));
      default:
        return fault satisfies never;
    }
  }

  /** Any time, a little after a few commits, or a little after the next agent has begun. */
  async #moment(): Promise<void> {
    if (this.#choose(3) === 0) {
      await sleep(this.#choose(900));
      return;
    }
    const wanted = 1 + this.#choose(6);
    const before = await eventsOf(this.#scene);
    const end = performance.now() + momentMs;
    while (before !== null && performance.now() < end) {
      const now = await eventsOf(this.#scene);
      if (now === null || now >= before + wanted) break;
      await sleep(20);
    }
    await sleep(this.#choose(150));
  }

  async #kill(kind: Member["kind"]): Promise<boolean> {
    const member = await this.#free(kind, this.#choose(4) > 0);
    if (member === null) return false;
    this.#log(`  of ${member.name}`);
    await member.kill();
    return true;
  }

  /** One to which nothing else is being done; if wanted, one that performs an attempt, for a moment. */
  async #free(kind: Member["kind"] | "any", wantsBusy = false): Promise<Member | null> {
    const begun = performance.now();
    const end = begun + freeMs;
    for (;;) {
      const free: Member[] = [];
      const looksForBusy = wantsBusy && performance.now() < begun + freeMs / 2;
      for (const member of this.#scene.members) {
        if (member.isAfflicted || (kind !== "any" && member.kind !== kind)) continue;
        if (!looksForBusy || (await heldBy(this.#scene, member)).some(({ isEarly }) => !isEarly)) free.push(member);
      }
      if (free.length > 0 || performance.now() > end) return free[this.#choose(Math.max(1, free.length))] ?? null;
      await sleep(50);
    }
  }

  /**
   * A worker that performs an attempt, of a run that another process drives where there is one: its loss is noticed sooner. Every second
   * time one is wanted that prepares a tree.
   */
  async #busy(kind: "worker" | "guest"): Promise<Member | null> {
    const begun = performance.now();
    const end = begun + busyMs;
    const wantsEarly = this.#choose(2) === 0;
    while (performance.now() < end) {
      let found: Member | null = null;
      for (const member of this.#scene.members) {
        if (member.isAfflicted || member.kind !== kind) continue;
        const [held, driven] = [await heldBy(this.#scene, member), await drivenBy(this.#scene, member)];
        if (held.some(({ run, isEarly }) => !driven.includes(run) && (isEarly || !wantsEarly))) return member;
        if (held.length > 0) found = member;
      }
      if (found !== null && performance.now() > begun + bestMs) return found;
      await sleep(20);
    }
    return null;
  }

  /** Any process, or one of this kind that performs an attempt. */
  async #afflict(kind: "any" | "worker" | "guest", work: (member: Member) => Promise<void>): Promise<boolean> {
    const member = kind === "any" ? await this.#free("any") : await this.#busy(kind);
    if (member === null) return false;
    member.isAfflicted = true;
    this.#log(`  of ${member.name}`);
    const done = work(member).finally(() => {
      this.#log(`  ${member.name} is well again`);
      member.isAfflicted = false;
      this.#lasting.delete(done);
    });
    this.#lasting.add(done);
    return true;
  }

  async #stand(member: Member, ms: number): Promise<void> {
    member.freeze();
    await sleep(ms);
    member.thaw();
  }

  async #part({ line }: Member, how: "silent" | "closed", ms: number): Promise<void> {
    line.cut(how);
    await sleep(ms);
    line.restore();
  }

  /** Until an attempt that it had is no longer its own. */
  async #outlast(member: Member, how: "frozen" | "cut off"): Promise<void> {
    if (how === "frozen") member.freeze();
    else member.line.cut(this.#choose(2) === 0 ? "closed" : "silent");
    const had = (await heldBy(this.#scene, member)).map(({ attempt }) => attempt);
    const holds = had.map((attempt) => join(this.#scene.dir, `hold.${attempt}`));
    for (const hold of holds) writeFileSync(hold, "");
    const end = performance.now() + longestMs;
    while (performance.now() < end) {
      const lost = await haveBeenLost(this.#scene, had);
      if (had.length === 0 || (lost ?? 0) > 0) break;
      await sleep(200);
    }
    if (((await haveBeenLost(this.#scene, had)) ?? 0) > 0) this.displaced += 1;
    // A step of it is at work elsewhere by then, or soon.
    await sleep(this.#choose(1_500));
    // An agent that outlived its attempt would go on now, before its worker can end it.
    for (const hold of holds) rmSync(hold);
    await sleep(500);
    if (how === "frozen") member.thaw();
    else member.line.restore();
  }

  #setClock(): boolean {
    const { members } = this.#scene;
    members[this.#choose(members.length)]?.setClock(this.#choose(21) - 10);
    return true;
  }

  async #away(end: () => Promise<void>): Promise<boolean> {
    return await this.#toServer(async () => {
      await end();
      await sleep(this.#choose(1_500));
      await this.#scene.server.restart();
    });
  }

  async #promoteStandby(): Promise<void> {
    const { server } = this.#scene;
    const standby = await server.addStandby();
    await this.#moment();
    await server.failOver(standby);
  }

  async #toServer(work: () => Promise<void>): Promise<boolean> {
    await work();
    return true;
  }
}
