// The catalogue. Owns: which commands there are and what each is for, in the words of the overview and of `--help` alike. It loads
// none of them (loaders.ts does).

export interface CommandEntry {
  readonly name: string;
  readonly group: string;
  readonly usage: string;
  readonly summary: string;
}

/** A usage begins with the command's name. */
const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Running: {
    "run WORKFLOW TASK…": "start a run and drive it until it is done, failed or held",
    "prd run FILE": "work through a PRD: several stories at once, one commit each",
    "agent run REQUEST…": "work on one request, as one story",
    "lifecycle INTENT…|…": "take a project with a .workflow folder through its phases, stopping before each decision",
    "project init|…": "work by the files of .ai/: one story after the other, with a review by a person",
    "resume RUN": "continue a run until it is done, failed or held",
    "pause RUN": "let running attempts end and start nothing new",
    "stop RUN [STEP]": "stop one attempt and keep the run; its step then waits for you",
    "story add|edit|move|skip|drop RUN …": "change the stories of a run that have not started, or end one",
    "cancel RUN": "stop a run for good; what it has committed stays on its branch",
    "retry RUN": "put failed stories and steps back to ready, with new limits",
    "cap RUN": "raise a cap of a run (attempts, steps, time, money, tokens), or show them",
    "waits RUN [LEVEL]": "ask before all steps of a run, the marked ones, or none; or show which",
    up: "drive every open run of this home, and serve the API and the page, until it is stopped",
    "worker [list]": "perform attempts of any run of the store, in so many slots; or list who does",
    "open [RUN|GATE]": "show the page in a browser that is signed in; starts the service where none runs",
    down: "stop the service of this home; its runs can be resumed",
    "schedule list|add|pause|resume|run|remove": "let the service start workflows at the times of their `schedule`",
    demo: "play a real run with a scripted agent, in a git repository of its own",
  },
  Looking: {
    runs: "list runs, the newest first",
    "status [RUN]": "show where a run stands; without RUN, the newest",
    "stories RUN": "list the stories of a run, in order",
    "why [RUN]": "say in one sentence what a run does, or what it waits for",
    "cost [RUN]": "show what a run has cost; without RUN, what each of them has",
    watch: "show all runs on one screen, with what needs you on top",
    "logs [RUN] [STEP]": "show what agents did",
    "events [RUN]": "show what happened, in order",
    "diff RUN [STORY]": "show what a run or one story changed, also while it works",
  },
  Acting: {
    gates: "list the open questions, the oldest first",
    "answer GATE OPTION": "answer an open question, once",
    "approve RUN": "choose the first option of the run's only open gate",
    "reject RUN": "choose the last option of the run's only open gate",
    "signal RUN NAME [JSON]": "wake a step that waits for a signal; one that comes early is kept",
    "note RUN TEXT…": "leave a note for the next attempt of a run, or of one story",
    "edit RUN --story S …": "change the steps that have not started",
    "revert RUN STORY": "take one integrated story back, by a new commit",
    "scratch append TEXT…": "leave a note for the other agents",
    "step drop|peek|claim|complete|fail|stories":
      "drop a step; claim and report steps, for agents that pull their work",
    mcp: "serve MCP over stdio: start a run, look, answer a gate, from your own agent session",
  },
  Workflows: {
    "workflow list|show|check|schema|simulate|install|uninstall": "work with workflow files",
  },
  "Setting up": {
    init: "look at a repository and at the installed agents, and write .pawl/config.yml",
    "trust [DIR]": "show the commands that a repository's own configuration wants to run, and agree to them",
    "executor list|test": "list and test what can perform attempts",
    doctor: "show what is installed, what is missing, and how to get it",
    "clean [--older AGE] [--dry-run]":
      "remove logs, trees, saved diffs and branches of runs that are over, and the runs",
    "store backup|copy|check": "back up the store, move it to another one (SQLite, PostgreSQL), or check it by replay",
    "token create|list|revoke": "make and revoke tokens with which programs and people call the HTTP API",
    "completion bash|zsh|fish": "print a script that completes commands, options, runs and stories in your shell",
    "schema [NAME]": "print the JSON Schema of a document of --json or --events; without NAME, list the documents",
  },
};

export const catalogue: readonly CommandEntry[] = Object.entries(groups).flatMap(([group, commands]) =>
  Object.entries(commands).map(([usage, summary]) => ({ name: usage.split(" ", 1)[0] ?? "", group, usage, summary })),
);

/** What a command is for: its description. */
export function summaryOf(name: string): string {
  return catalogue.find((entry) => entry.name === name)?.summary ?? "";
}
