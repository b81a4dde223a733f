// A project that works by the files of .ai/, with an executor that is a shell script and knows nothing but those files.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { addStory } from "../../src/application/agentic/add-story.ts";
import { type Continued, type ContinueRequest, continueProject } from "../../src/application/agentic/continue.ts";
import { initProject } from "../../src/application/agentic/init.ts";
import { Application } from "../../src/application/application.ts";
import { makeRepository, runGit, tempDir } from "./repository.ts";
import { siteStores } from "./site-store.ts";

export interface TestProject {
  readonly app: Application;
  readonly root: string;
  /** Starts the script as an executor. */
  readonly executor: string;
  /** The script itself; its arguments: none. It works in its directory. */
  readonly script: string;
  /** What a session will report: `failing scope_warning`. Default: `pass null`. */
  report(session: string, status: string): void;
  /** The sessions so far: `US-001 bdd 1`. */
  sessions(): readonly string[];
  /** The prompt of a session. */
  prompt(session: string): string;
  /** STATE.json as a session found it. */
  state(session: string): Readonly<Record<string, unknown>>;
  go(request?: Partial<ContinueRequest>): Promise<Continued>;
}

export async function agenticProject(level: "1" | "2", stories: readonly string[] = ["US-001"]): Promise<TestProject> {
  const root = makeRepository({ "README.md": "cart\n" });
  const control = tempDir("pawl-control-");
  const home = join(tempDir(), "home");
  const app = new Application({ cwd: root, env: { ...process.env, ...siteStores().variables(home), PAWL_HOME: home } });
  onTestFinished(async () => await app.close());
  await initProject(app, { level, name: "A" });
  for (const story of stories) await addStory(app, { story, title: `Story ${story}` });
  runGit(root, "add", "-A");
  runGit(root, "commit", "-qm", "set up");
  const script = join(control, "session.sh");
  writeFileSync(script, sessionScript(control));
  chmodSync(script, 0o755);
  const executor = `command: ${script}`;
  return {
    app,
    root,
    executor,
    script,
    report: (session, status) => writeFileSync(join(control, session.replaceAll(" ", "_")), status),
    sessions: () => linesOf(join(control, "sessions")),
    state: (session) =>
      JSON.parse(readFileSync(join(control, `state_${session.replaceAll(" ", "_")}`), "utf8")) as Readonly<
        Record<string, unknown>
      >,
    prompt: (session) => readFileSync(join(control, `prompt_${session.replaceAll(" ", "_")}`), "utf8"),
    go: async (request = {}) =>
      await continueProject(app, { signal: new AbortController().signal, executor, ...request }),
  };
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** Reads STATE.json, does its work, and leaves a hand-off. */
function sessionScript(control: string): string {
  mkdirSync(control, { recursive: true });
  return `#!/bin/sh
field() { tr -d ' "' < .ai/STATE.json | tr ',{}' '\\n\\n\\n' | grep "^$1:" | head -1 | cut -d: -f2-; }
story=$(field story); step=$(field step); attempt=$(field attempt)
session="$story"_"$step"_"$attempt"
cat > "${control}/prompt_$session"
cp .ai/STATE.json "${control}/state_$session"
echo "$story $step $attempt" >> "${control}/sessions"
echo "$step $attempt" >> "$story.txt"
status=pass; reason=null
[ -f "${control}/$session" ] && read -r status reason < "${control}/$session"
cat > .ai/HANDOFF.md <<END
---
story: $story
step: $step
attempt: $attempt
status: $status
reason: $reason
files_changed: [$story.txt]
tests_pass: 44
tests_fail: 0
tests_skip: 0
---

# HANDOFF

## What was done this time
- Scenario 1: Add an item

## Not yet resolved
- [NEEDS CLARIFICATION] how many items?
END
`;
}
