// A project whose story is worked on by a team. Its executor is a shell script that knows nothing but the files and its prompt.

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { addStory } from "../../src/application/agentic/add-story.ts";
import { type Continued, type ContinueRequest, continueProject } from "../../src/application/agentic/continue.ts";
import { initProject } from "../../src/application/agentic/init.ts";
import { Application } from "../../src/application/application.ts";
import { makeRepository, runGit, tempDir } from "./repository.ts";
import { siteStores } from "./site-store.ts";

export interface TeamProject {
  readonly app: Application;
  readonly root: string;
  readonly home: string;
  readonly executor: string;
  readonly control: string;
  /** A line of shell that a session runs before it reports: `US-001_impl_backend_1`. */
  does(session: string, shell: string): void;
  /** The sessions so far, in the order in which they began: `US-001 impl backend 1`. */
  sessions(): readonly string[];
  prompt(session: string): string;
  read(file: string): string;
  go(request?: Partial<ContinueRequest>): Promise<Continued>;
}

/** The table has two steps, so that a run is short: what teams do not change is shown elsewhere. */
export const shortTable = `pawl_rules: 1
protocol: agentic
stories: { workspace: worktree, integrate: "feat: {{story}}" }
steps:
  bdd: { instruction: Write scenarios, next_on_pass: impl }
  impl:
    instruction: Make the tests pass
    next_on_pass: done
    on_fail: { default: impl, needs_clarification: bdd }
    max_attempts: 3
    team_roles:
      backend: { claude_reads: [docs/sdd.md], claude_writes: ["*.go"] }
      frontend: { claude_reads: [docs/api/openapi.yaml], claude_writes: ["*.ts"] }
`;

export async function teamProject(title: string, rules = shortTable): Promise<TeamProject> {
  const root = makeRepository({ "README.md": "cart\n" });
  const control = tempDir("pawl-control-");
  const home = join(tempDir(), "home");
  const env = { ...process.env, ...siteStores().variables(home), PAWL_HOME: home };
  const app = new Application({ cwd: root, env, trust: true });
  onTestFinished(async () => await app.close());
  await initProject(app, { level: "2", name: "cart-app" });
  writeFileSync(join(root, ".ai/step-rules.yaml"), rules);
  await addStory(app, { story: "US-001", title });
  runGit(root, "add", "-A");
  runGit(root, "commit", "-qm", "set up");
  const script = join(control, "session.sh");
  writeFileSync(script, sessionScript(control));
  chmodSync(script, 0o755);
  const executor = `command: ${script}`;
  return {
    app,
    root,
    home,
    executor,
    control,
    does: (session, shell) => writeFileSync(join(control, session), `${shell}\n`),
    sessions: () => linesOf(join(control, "sessions")),
    prompt: (session) => readFileSync(join(control, `prompt_${session}`), "utf8"),
    read: (file) => readFileSync(join(root, file), "utf8"),
    go: async (request = {}) =>
      await continueProject(app, { signal: new AbortController().signal, executor, ...request }),
  };
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** It finds story, step, role and attempt in STATE.json, changes a file that is its own, and reports as its prompt asks. */
function sessionScript(control: string): string {
  return `#!/bin/sh
field() { tr -d ' "' < .ai/STATE.json | tr ',{}' '\\n\\n\\n' | grep "^$1:" | head -1 | cut -d: -f2-; }
story=$(field story); step=$(field step); attempt=$(field attempt); role=$(field role)
session="$story"_"$step"_"\${role:+\${role}_}$attempt"
cat > "${control}/prompt_$session"
echo "$story $step \${role:+$role }$attempt" >> "${control}/sessions"
status=pass; reason=null; summary="$step \${role:-alone} done"; more=""
case $role in
  backend) echo "backend $attempt" >> backend.go; files="[backend.go]" ;;
  frontend) echo "frontend $attempt" >> frontend.ts; files="[frontend.ts]" ;;
  *) echo "$step $attempt" >> "$story.txt"; files="[$story.txt]" ;;
esac
[ -f "${control}/$session" ] && . "${control}/$session"
if [ -n "$role" ]; then
  printf 'status: %s\\nreason: %s\\nsummary: %s\\n' "$status" "$reason" "$summary" > .ai/executor-result
fi
cat > .ai/HANDOFF.md <<END
---
story: $story
step: $step
attempt: $attempt
status: $status
reason: $reason
summary: $summary
files_changed: $files
$more
---

## What was done this time
- $summary

## Not yet resolved
- \${open:-none}
END
`;
}
