// The tokens that the protocol plans for a medium story, as data.

export interface TokenRange {
  readonly from: number;
  readonly to: number;
}

export interface StepBudget {
  readonly step: string;
  /** What the executor reads. */
  readonly read: TokenRange;
  /** What it writes. */
  readonly output: TokenRange;
}

const range = (from: number, to: number): TokenRange => ({ from, to });

export const stepBudgets: readonly StepBudget[] = [
  { step: "bdd", read: range(2_000, 4_000), output: range(500, 1_500) },
  { step: "sdd-delta", read: range(3_000, 6_000), output: range(800, 2_000) },
  { step: "contract", read: range(2_000, 4_000), output: range(500, 1_000) },
  { step: "review", read: range(0, 0), output: range(0, 0) },
  { step: "scaffold", read: range(2_000, 4_000), output: range(1_000, 3_000) },
  { step: "impl", read: range(4_000, 10_000), output: range(2_000, 8_000) },
  { step: "verify", read: range(3_000, 6_000), output: range(200, 500) },
  { step: "update-memory", read: range(1_000, 2_000), output: range(200, 500) },
];

/** One story with one executor. */
export const storyBudget = range(15_000, 40_000);

/** One story with three executors, which are two to three times as fast. */
export const teamBudget = range(40_000, 100_000);

/** A story of which a session had a role was one of a team. */
export function plannedFor(sessions: readonly { readonly part?: string }[]): TokenRange {
  return sessions.some(({ part }) => part !== undefined) ? teamBudget : storyBudget;
}

/** What an orchestrator with a model of its own would need. Pawl's needs none. */
export const orchestratorBudget = {
  interaction: range(100, 200),
  interactions: range(5, 10),
  story: range(500, 2_000),
};

export function compare(tokens: number, { from, to }: TokenRange): "under" | "within" | "over" {
  if (tokens > to) return "over";
  return tokens < from ? "under" : "within";
}
