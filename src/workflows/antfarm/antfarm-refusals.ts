// Keys of foreign files that would change what the file means. Others are ignored with a warning; ignoring one of these would
// run what its author wanted held back.

interface Refusal {
  readonly message: string;
  readonly hint: string;
}

/** A step that a person must agree to, or do. */
const approvals =
  /^(?:(?:needs?_|requires?_|wait_for_)?(?:human_|manual_)?(?:approval|confirmation|gate)(?:_required)?|(?:human_|manual_)review|review_required|manual|human|human_in_the_loop|approvers?|confirm|pause|hold)$/;
/** A step that runs only in some cases. */
const conditions = /^(?:conditions?|when|if|unless|(?:run|only|skip|execute)_(?:if|when|unless))$/;
/** Who does a step, or whose word it waits for. */
const performers =
  /^(?:executor|runner|performed_by|actor|assignee|assigned_to|wait_for|waits_for|checkpoint|mode|trigger)$/;
const person = /^(?:manual|human|person|user)$/i;

/** null: ignoring the key does no harm. `spelled`: the key as the file has it. */
export function refusalOf(key: string, value: unknown, spelled: string): Refusal | null {
  if (approvals.test(key) && value !== false) {
    return {
      message: `\`${spelled}\` asks for a person, and nothing in such a file waits for one before a step`,
      hint: "rewrite the file with `pawl: 1` at its top: a step `gate: QUESTION` waits for a person; or remove the key",
    };
  }
  if (performers.test(key) && typeof value === "string" && person.test(value.trim())) {
    return {
      message: `\`${spelled}: ${value}\` wants a person to do the work, and an agent would do it`,
      hint: "rewrite the file with `pawl: 1` at its top: a step `gate: QUESTION` waits until a person has done it",
    };
  }
  if (conditions.test(key) && value !== true) {
    return {
      message: `\`${spelled}\` is not evaluated: the step would always run`,
      hint: "let the step before it decide: `decision_key`, and `on_decision` with a `next_step` that jumps over it",
    };
  }
  const isOff = (key === "enabled" && value === false) || (/^(?:disabled|skip)$/.test(key) && value === true);
  return isOff
    ? { message: `\`${spelled}: ${value}\` is not obeyed: the step would run`, hint: "remove the step from the file" }
    : null;
}
