// Words about what was interrupted.

export const recoveryTexts = {
  label: "What was interrupted",
  none: "Nothing was interrupted: every attempt came to its own end.",
  number: (number: number) => `attempt ${number}`,
  outcomes: {
    failed: "Failed.",
    timed_out: "Timed out.",
    lost: "Lost.",
    cancelled: "Stopped.",
    rate_limited: "Turned away by its account.",
    invalid_output: "Not understood.",
    adopted: "Its driver died.",
  },
  adopted: "Another driver took over its result. Nothing was done again.",
  rolledBack: "Its changes were rolled back.",
  kept: "Its changes were kept.",
  again: (number: number) => `Done again as attempt ${number}`,
  notAgain: "Not done again.",
  columns: { at: "When", attempt: "Attempt", what: "What happened", then: "What became of it", cost: "Cost" },
} as const;
