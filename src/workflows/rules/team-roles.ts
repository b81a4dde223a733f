// Names of roles that are not in a table.

/** The one part of a step whose team is an Agent Team: its session spawns the others itself. */
export const leadRole = "lead";
