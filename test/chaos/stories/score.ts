// The score of a chaos campaign with stories: which processes were killed in which phase, and whether that is enough.

import { integrationPhases, type Phase, phases, type SeenPhase } from "./moments.ts";

export class Score {
  /** Drivers, by the phase in which they died. */
  readonly drivers = Object.fromEntries(phases.map((phase) => [phase, 0])) as Record<Phase, number>;
  /** Pawl's gits, by their subcommand; some were killed together with their driver. */
  readonly gits: Record<string, number> = {};
  /** Gits that were running when their driver was killed; they run to their own end. */
  readonly outlived: Record<string, number> = {};
  agents = 0;
  restarts = 0;
  pairs = 0;
  adopted = 0;

  get killed(): number {
    return Object.values(this.drivers).reduce((sum, count) => sum + count, 0);
  }

  /** Enough drivers, among them at least one in each phase of an integration, unless none is to be killed. */
  isEnough(kills: number, hasForwarding: boolean): boolean {
    return kills === 0 || (this.killed >= kills && this.missing(hasForwarding).length === 0);
  }

  /** Phases of an integration in which no driver has been killed yet. */
  missing(hasForwarding: boolean): readonly SeenPhase[] {
    return integrationPhases.filter((phase) => this.drivers[phase] === 0 && (hasForwarding || phase !== "forward"));
  }
}

export function countIn(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
