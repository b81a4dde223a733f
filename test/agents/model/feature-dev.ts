// A scripted model for feature-dev: what it says and does in each role, for one small project of two stories. It has no state: its
// moves follow from the conversation, and its verdicts from what real commands printed.

import { type Conversation, completeIn, lastResult, type Move, saidBy } from "./conversation.ts";

const stories = [
  {
    id: "US-001",
    title: "Say hello",
    description: "A script hello.sh at the top of the repository that greets the world.",
    acceptanceCriteria: ["`sh hello.sh` prints `Hello, world!`", "Typecheck passes"],
  },
  {
    id: "US-002",
    title: "Greet a person",
    description: "A script greet.sh beside it that greets the person it is given.",
    acceptanceCriteria: ["`sh greet.sh Ada` prints `Hello, Ada!`", "Typecheck passes"],
  },
] as const;

interface Work {
  readonly file: string;
  readonly content: string;
  /** What the tests print when it is right. */
  readonly expected: string;
}

/** The initial files of the repository. Its tests cover the scripts that exist so far. */
export const project: Readonly<Record<string, string>> = {
  "README.md": "# a project\n",
  "test.sh": 'for script in hello.sh greet.sh; do if [ -f "$script" ]; then sh "$script" Ada; fi; done\n',
};
const testCommand = "sh test.sh";

/** The second is wrong at first: it misses a criterion, which its test shows. */
const works: Readonly<Record<string, Work>> = {
  "US-001": { file: "hello.sh", content: "echo 'Hello, world!'\n", expected: "Hello, world!" },
  "US-002": { file: "greet.sh", content: 'echo "Hello, $1"\n', expected: "Hello, Ada!" },
};
const mend = `sed -i 's/\\$1"/$1!"/' greet.sh && git add greet.sh && git commit --quiet --amend --no-edit`;

type Role = (given: Given) => Move;

interface Given {
  readonly conversation: Conversation;
  readonly prompt: string;
  /** How many commands and files it has requested so far. */
  readonly done: number;
}

/** How each prompt of the workflow begins, and its role. */
const roles: readonly (readonly [string, Role])[] = [
  ["Decompose the following task into ordered user stories", plan],
  ["Implement the following user story", implement],
  ["Verify the developer's work on this story", verify],
  ["All stories are implemented, and each was verified by itself", test],
  ["Put the finished branch up for review", publish],
  ["Review the finished change as a whole", review],
];

export function featureDev(conversation: Conversation): Move {
  const prompt = saidBy("user", conversation);
  const [, role] = roles.find(([words]) => prompt.includes(words)) ?? [];
  if (!role) return { does: "say", text: "I do not know this role." };
  const done = conversation.turns.filter((turn) => turn.by === "call" && !isReporting(turn.tool)).length;
  return role({ conversation, prompt, done });
}

function plan({ conversation, done }: Given): Move {
  if (done === 0) return { does: "shell", command: "git log --oneline" };
  const commands = { build_cmd: "", test_cmd: testCommand, typecheck_cmd: "" };
  return report(conversation, { status: "done", ...commands, stories_json: stories });
}

function implement({ conversation, prompt, done }: Given): Move {
  const story = storyIn(prompt);
  const { file, content } = workOf(story);
  const isBack = /must print/.test(prompt);
  const title = stories.find(({ id }) => id === story)?.title;
  if (done === 0) return { does: "shell", command: "pwd && git status --short && ls" };
  if (done === 1 && isBack) return { does: "shell", command: `${mend} && ${noteIn(prompt, `${story} was mended`)}` };
  if (done === 1) return { does: "write", path: `${directoryIn(conversation)}/${file}`, content };
  if (done === 2 && !isBack) {
    const commit = `git add ${file} && git commit --quiet -m 'feat: ${story} - ${title}'`;
    return { does: "shell", command: `${commit} && ${noteIn(prompt, `${story} is in ${file}`)}` };
  }
  return report(conversation, { status: "done", changes: `${file} for ${story}`, tests: `ran ${file}` });
}

/** Runs the tests itself: what the developer says about them is not evidence. */
function verify({ conversation, prompt, done }: Given): Move {
  const { file, expected } = workOf(storyIn(prompt));
  if (done === 0) return { does: "shell", command: keyIn(prompt, "TEST_CMD") };
  return lastResult(conversation).includes(expected)
    ? { does: "say", text: `STATUS: done\nVERIFIED: ${file} prints ${expected}` }
    : { does: "say", text: `STATUS: retry\nISSUES:\n- ${file} must print \`${expected}\`` };
}

function test({ conversation, done }: Given): Move {
  const both = Object.values(works);
  if (done === 0) return { does: "shell", command: testCommand };
  const isRight = both.every(({ expected }) => lastResult(conversation).includes(expected));
  const text = isRight ? "STATUS: done\nRESULTS: 2 of 2 scripts" : "STATUS: retry\nFAILURES:\n- a script is wrong";
  return { does: "say", text };
}

function publish({ prompt, done }: Given): Move {
  const file = `${keyIn(prompt, "PROGRESS_FILE").replace(/\/[^/]*$/, "")}/pr-${keyIn(prompt, "RUN")}.md`;
  if (done === 0) return { does: "write", path: file, content: "# Greetings\n\nTwo scripts that say hello.\n" };
  return { does: "say", text: `STATUS: done\nPR: ${file}` };
}

function review({ conversation, prompt, done }: Given): Move {
  if (done === 0) return { does: "shell", command: `git diff --stat ${keyIn(prompt, "BASE")}...HEAD` };
  const isThere = Object.values(works).every(({ file }) => lastResult(conversation).includes(file));
  const decision = isThere ? "approved" : "needs_fixes";
  return { does: "say", text: `STATUS: done\nDECISION: ${decision}\nREVIEW_NOTES: read the diff` };
}

/** Reports by Pawl's tool if the agent has it, otherwise as text. */
function report(conversation: Conversation, given: Readonly<Record<string, unknown>>): Move {
  const called = conversation.turns.filter((turn) => turn.by === "call").map(({ tool }) => tool);
  if (called.some((tool) => tool.endsWith("complete"))) return { does: "say", text: "I have reported." };
  const { status, stories_json: planned, ...outputs } = given;
  if (completeIn(conversation) !== null)
    return { does: "complete", given: { outcome: status, outputs, ...(planned ? { stories: planned } : {}) } };
  const canSearch = conversation.tools.some(({ name }) => isSearch(name));
  if (canSearch && !called.some(isSearch)) return { does: "search", query: "pawl complete" };
  const lines = Object.entries(given).map(
    ([key, value]) => `${key.toUpperCase()}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return { does: "say", text: lines.join("\n") };
}

function isReporting(tool: string): boolean {
  return tool.endsWith("complete") || isSearch(tool);
}

function isSearch(tool: string): boolean {
  return /^(?:ToolSearch|tool_search(?:_call)?)$/.test(tool);
}

function noteIn(prompt: string, note: string): string {
  return `echo '- ${note}' >> '${keyIn(prompt, "PROGRESS_FILE")}'`;
}

function keyIn(prompt: string, key: string): string {
  return new RegExp(`^${key}: (.*)$`, "m").exec(prompt)?.[1]?.trim() ?? "";
}

/** The output line of `pwd`, whatever an agent writes around it. */
function directoryIn(conversation: Conversation): string {
  return /^\/.*$/m.exec(saidBy("tool", conversation))?.[0]?.trim() ?? "";
}

function storyIn(prompt: string): string {
  return /CURRENT STORY:[^]*?(US-\d+)/.exec(prompt)?.[1] ?? "";
}

function workOf(story: string): Work {
  const work = works[story];
  if (!work) throw new Error(`the plan has no story "${story}"`);
  return work;
}
