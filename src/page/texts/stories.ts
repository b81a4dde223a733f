// Words about stories.

export const storyTexts = {
  label: "Stories",
  none: "This run has no stories, or has not planned them yet.",
  criteria: "It is done when",
  evidence: "What its steps said",
  tries: "Attempts",
  attempt: (step: string, number: number) => `${step}, attempt ${number}`,
  noEvidence: "None of its steps has said anything yet.",
  more: (next: number, all: number) => `Show ${next} more of ${all}`,
  rejected: (count: number) => `${count} rejected`,
  columns: {
    story: "Story",
    title: "Title",
    status: "Status",
    at: "At",
    waitsFor: "Waits for",
    attempts: "Attempts",
    time: "Time",
    cost: "Cost",
  },
} as const;
