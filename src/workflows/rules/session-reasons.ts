// What a session can say of why it failed. Each may have a route of its own; those without one follow the default.

export const sessionReasons = [
  "constitution_violation",
  "needs_clarification",
  "nfr_missing",
  "scope_warning",
  "test_timeout",
] as const;
