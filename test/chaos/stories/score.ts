// The score of a chaos with stories. Owns: who was killed when, and whether that is enough.

import { integrationPhases, type Phase, phases, type SeenPhase } from "./moments.ts";

export class Score {
  /** Drivers, by the phase in which they died. */
  readonly drivers = Object.fromEntries(phases.map((phase) => [phase, 0])) as Record<Phase, number>;
  /** Gits of ours, by what they were doing; some died together with their driver. */
  readonly gits: Record<string, number> = {};
  /** What git was in the middle of when its driver died; it goes on to its own end. */
  readonly outlived: Record<string, number> = {};
  agents = 0;
  restarts = 0;
  pairs = 0;
  adopted = 0;

  get killed(): number {
    return Object.values(this.drivers).reduce((sum, count) => sum + count, 0);
  }

  /** So many drivers, and among them one at least in each phase of an integration, unless nobody is to be killed at all. */
  isEnough(kills: number, hasForwarding: boolean): boolean {
    return kills === 0 || (this.killed >= kills && this.missing(hasForwarding).length === 0);
  }

  /** Phases of an integration in which nobody has died yet. */
  missing(hasForwarding: boolean): readonly SeenPhase[] {
    return integrationPhases.filter((phase) => this.drivers[phase] === 0 && (hasForwarding || phase !== "forward"));
  }
}

export function countIn(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
