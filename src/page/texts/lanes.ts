// Words of the lanes.

export const laneTexts = {
  label: "Stories over time",
  own: "Run",
  critical: "The end of the run waits for it",
  waiting: "waits",
  kinds: { running: "running", passed: "passed", rejected: "rejected", failed: "failed", integrating: "integrated" },
  bar: (step: string, number: number, kind: string, span: string, executor: string) =>
    `${step}, attempt ${number}: ${kind}, ${span}, ${executor}`,
  summary: (name: string, attempts: number, span: string) =>
    `${name}: ${attempts === 1 ? "1 attempt" : `${attempts} attempts`}, ${span} of work`,
} as const;
