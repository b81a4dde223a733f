// The STATE.json of a project that has no story yet, and whether a STATE.json that is there belongs to this protocol.

/** As the protocol prescribes it, to the byte. */
export function firstState(project: string): string {
  return `${JSON.stringify(fieldsOf(project))}\n`;
}

function fieldsOf(project: string) {
  return {
    project,
    story: null,
    step: "bdd",
    attempt: 1,
    max_attempts: 3,
    status: "pending",
    reason: null,
    dispatched_at: null,
    completed_at: null,
    timeout_min: 5,
    tests: null,
    failing_tests: [],
    lint_pass: null,
    files_changed: [],
    blocked_by: [],
    human_note: null,
  };
}

/** The fields that the protocol has. */
export const stateKeys: readonly string[] = Object.keys(fieldsOf(""));
/** Those of its `tests`. */
export const testKeys: readonly string[] = ["pass", "fail", "skip"];

const required = ["project", "step", "attempt", "status"];

/** Null: it belongs to this protocol. Else what it is, for a sentence that begins with its path. */
export function foreignState(text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return `is not JSON (${error instanceof Error ? error.message : String(error)})`;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return "is not of this protocol (it has no fields)";
  const keys = Object.keys(value);
  if (required.every((key) => keys.includes(key))) return null;
  return `is not of this protocol (it has ${keys.slice(0, 6).join(", ") || "no fields"})`;
}
