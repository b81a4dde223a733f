// Arguments that many commands take. Owns: how `--help` describes them.

export const runArgument = "its id, a prefix of it, or its number";
export const runOrNewest = `${runArgument} (default: the newest run)`;
export const noteOption = ["--note <text>", "a note for the next prompt"] as const;
export const reasonOption = ["--reason <code>", "why, in one word, where the gate has routes for reasons"] as const;
export const trustOption = ["--trust", "run the commands of the repository's own configuration, this once"] as const;
export const eventsOption = ["--events", "print one JSON event per line on stdout, as it happens"] as const;
export const foregroundOption = ["--foreground", "drive the run here, also while a service runs"] as const;
