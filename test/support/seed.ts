// What tests choose by chance: by default something else in each run of them, so that all runs together try much. `PAWL_SEED` fixes it.

const fixed = process.env["PAWL_SEED"];

/** Null: nothing is fixed. */
export const fixedSeed: number | null = fixed === undefined ? null : Number(fixed);

export const seed: number = fixedSeed ?? Date.now() % 1_000_000;
