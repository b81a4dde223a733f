// What a person's message asks for, by rules and without a model. Words that are not understood never become an action.

export type Action = "continue" | "status" | "retry" | "skip" | "abort" | "stop" | "approve" | "reject";

export interface PersonIntent {
  /** `unknown`: no rule fits. At a review such words are the note of an answer. */
  readonly action: Action | "unknown";
  /** The project or the story that the message names; null: none. */
  readonly name: string | null;
  /** For `approve` and `reject`. */
  readonly note: string | null;
  /** For `reject`; null: the person must say it. */
  readonly reason: string | null;
}

/** The whole message must fit, so that "do not continue" and "continue with the old API" are no actions. */
const name = String.raw`(?:\s+(?:(?:with|on|project|story)\s+)?(?<name>[A-Za-z0-9][\w.-]*))?`;
const polite = String.raw`(?:please\s+|ok(?:ay)?[,.]?\s+|yes[,.]?\s+)?`;
const ending = String.raw`(?:[,]?\s+please)?\s*[.!]*`;
const whole = (words: string) => new RegExp(String.raw`^\s*${polite}(?:${words})${ending}\s*$`, "i");
/** Only a look answers a question: "abort?" asks, and stops nothing. */
const asked = (words: string) => new RegExp(String.raw`^\s*${polite}(?:${words})${ending}\s*[?]*\s*$`, "i");

const rules: readonly (readonly [Action, RegExp])[] = [
  ["stop", whole(String.raw`(?:stop|pause|enough|that(?:'s| is) (?:all|it))\s+for\s+(?:today|now|tonight)`)],
  ["continue", whole(`(?:continue|go on|resume|proceed|next)${name}`)],
  ["status", asked(`(?:status|progress|how is it going|where (?:are we|do things stand)|what(?:'s| is) next)${name}`)],
  ["retry", whole(`(?:retry|try again|once more)${name}`)],
  ["skip", whole(`skip(?:\\s+(?:(?:this|the) step|it|this))?${name}`)],
  ["abort", whole(`(?:abort|cancel|stop)(?:\\s+(?:it|this|now))?${name}`)],
];

/** A condition or a doubt behind the verb is for the person to put into words of their own: "looks good, but not the API". */
const reservation = String.raw`\b(?:but|except|if|unless|until|once|when|after|before|wait|as soon|as long|however|although|though|not|never|no)\b|n't\b`;
/** What follows a colon is a note, whatever it says; behind another sign it may take the approval back. */
const noteAfter = String.raw`(?:\s*(?::(?!\s*(?:${reservation}))|[,.;!](?![^]*(?:${reservation})))\s*(?<note>[^]*))?\s*$`;
const approval = new RegExp(String.raw`^\s*(?:approved?|lgtm|looks good)${noteAfter}`, "i");
const rejection = /^\s*reject(?:ed)?(?:\s+(?<reason>[a-z]+_[a-z_]+|default))?(?:\s*[,.:;!]\s*(?<note>[^]*))?\s*$/i;

/** Words after a verb that are no name. */
const noName = /^(?:it|this|that|step|now|please|today|the|all|everything|again|working|later|tomorrow)$/i;

export function parseIntent(message: string): PersonIntent {
  for (const [action, rule] of rules) {
    const found = rule.exec(message);
    const named = found?.groups?.["name"] ?? null;
    if (found === null || (named !== null && noName.test(named))) continue;
    return { action, name: named, note: null, reason: null };
  }
  const approved = approval.exec(message);
  if (approved) return { action: "approve", name: null, note: textOf(approved.groups?.["note"]), reason: null };
  const rejected = rejection.exec(message);
  if (!rejected) return { action: "unknown", name: null, note: textOf(message), reason: null };
  const reason = rejected.groups?.["reason"]?.toLowerCase() ?? null;
  return { action: "reject", name: null, note: textOf(rejected.groups?.["note"]), reason };
}

function textOf(text: string | undefined): string | null {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? null : trimmed;
}
