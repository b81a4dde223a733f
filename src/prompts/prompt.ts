// Builds a prompt: the agent's role, the user's words, the step's input, what people and earlier attempts said. The input
// arrives rendered.

interface PromptParts {
  /** The user's words. */
  readonly task: string;
  /** The step's input, rendered. */
  readonly input: string;
  /** From people: answers at gates, and what they added. */
  readonly notes: readonly string[];
  /** Why the work was sent back. */
  readonly feedback: string;
  /** How to answer, where the input does not say it. */
  readonly reply: string;
}

/** Named, since some agents load a tool only when it is asked for by name. */
const reporting = `Report by the tools of the MCP server \`pawl\`: \`complete\` when you are done (the keys that you are asked for go into
\`outputs\`), \`fail\` when it cannot be done, \`ask_human\` to put a question to a person (then end your turn), \`progress\` while you
work on something long, \`get_context\` for what is known of the run. If you cannot call them, end your reply with the keys as
text; that counts as well.`;

/** A note for an agent that is at work. */
export function noteForRunning(text: string): string {
  return `A note from a person, for the work that you are doing now:\n\n${text}`;
}

/** Who the agent is: its role files, one after the other, and how it reports where it can call tools. */
export function buildSystem(
  roles: readonly { readonly name: string; readonly text: string }[],
  hasTools: boolean,
): string {
  const sections = roles.map(({ name, text }) => section(name, text));
  return [...sections, hasTools ? section("Reporting", reporting) : ""].filter((text) => text !== "").join("\n\n");
}

/** What an agent that may only read is told: a judge that does not know what it may run has not verified. */
export function readOnlyRules(commands: readonly string[]): string {
  const own = commands.length === 0 ? "" : ` (${commands.map((command) => `\`${command}\``).join(", ")})`;
  const rules = `You may only read. Change, add and commit nothing in the repository, or your answer does not count. You may run the
project's own test, lint and build commands${own}, read-only git commands (\`git diff\`, \`git log\`, \`git show\`) and commands that
only read (\`ls\`, \`cat\`, \`grep\`). What these tools leave behind, such as coverage/ or logs, is removed.`;
  return section("What you may do", rules);
}

/** The intent is in every prompt; what the input already contains is not said twice. */
export function buildPrompt({ task, input, notes, feedback, reply }: PromptParts): string {
  const isNew = (text: string) => text.trim() !== "" && !occursIn(input, text);
  const sections: string[] = [];
  if (isNew(task)) sections.push(section("Task", task));
  const unsaid = notes.filter((note) => !occursIn(feedback, note));
  sections.push(withNotes(input.trim(), unsaid));
  if (isNew(feedback)) sections.push(section("Feedback on the work so far", feedback));
  sections.push(section("How to answer", reply));
  const filled = sections.filter((text) => text !== "");
  return filled.length === 0 ? "" : `${filled.join("\n\n")}\n`;
}

/** The input with what people said, unless it says so already. */
export function withNotes(input: string, notes: readonly string[]): string {
  const unsaid = notes.map((note) => note.trim()).filter((note) => note !== "" && !occursIn(input, note));
  if (unsaid.length === 0) return input;
  return [input, section("Notes from people", unsaid.map(asItem).join("\n"))]
    .filter((text) => text !== "")
    .join("\n\n");
}

function section(heading: string, text: string): string {
  return text.trim() === "" ? "" : `# ${heading}\n\n${text.trim()}`;
}

/** A note of several lines stays one item. */
function asItem(note: string): string {
  return `- ${note.replace(/\r?\n/g, "\n  ")}`;
}

/** As whole words, however the lines are broken: the task "fix" is not said by an input that speaks of fixtures. */
function occursIn(input: string, text: string): boolean {
  const inside = ` ${oneLine(input)} `;
  const wanted = oneLine(text);
  const isWordPart = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  for (let at = inside.indexOf(wanted); at >= 0; at = inside.indexOf(wanted, at + wanted.length)) {
    const joinedBefore = isWordPart(inside[at - 1]) && isWordPart(wanted[0]);
    const joinedAfter = isWordPart(inside[at + wanted.length]) && isWordPart(wanted.at(-1));
    if (!joinedBefore && !joinedAfter) return true;
  }
  return false;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
