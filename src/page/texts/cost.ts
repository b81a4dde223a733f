// Words about cost.

export const costTexts = {
  label: "What the run cost",
  own: "the run's own steps",
  ofCap: (cap: string) => `of ${cap} that it may spend`,
  wasted: (sum: string, percent: number) => `${sum} (${percent} %) on work that was rejected or did not finish`,
  unreported: (count: number) =>
    `${count === 1 ? "1 attempt" : `${count} attempts`} did not say what they cost: the sums are without them`,
  by: { story: "Story", step: "Step", model: "Model", outcome: "Outcome" },
  columns: { cost: "Cost", wasted: "Did not count", attempts: "Attempts", input: "Tokens in", output: "Tokens out" },
} as const;
