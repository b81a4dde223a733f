// An agent that puts links and pipes where Pawl writes: what the user has elsewhere stays as it was, and the run ends.

import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, writeAt } from "../support/pawl.ts";
import { newRalph } from "../support/ralph.ts";
import { runGit } from "../support/repository.ts";

test("[WS40] what an agent links to the user's files is not written: notes, state, logs, diffs, requests, copied files", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002", depends_on: ["US-001"] }, { id: "US-003" }], {
    agent: `
US-001/planning)
  D=$PAWL_SHARED; H=$S/home-of-user
  ln -sf $H/profile $D/scratch_US-001.md; ln -sf $H/precious $D/workflow_state.json
  mkdir -p $D/logs/US-001 && ln -sf $H/bashrc $D/logs/US-001/step-002.jsonl
  ln -sfn $H $D/scratch_archive; mkfifo $D/scratch_US-003.md; ln -sf $H/lock $D/scratch.md.lock
  echo x > $D/workflow_edits.tmp; rm -rf $D/workflow_edits; ln -sfn $H $D/workflow_edits ;;
US-001/coding) echo 'evil;' ; echo one > one.txt; commit ;;
US-001/final_review) ln -sf $S/home-of-user/bashrc .env; mkdir -p conf; ln -sfn $S/home-of-user conf/dir ;;
US-003/coding)
  H=$S/home-of-user; ln -sfn $H $PAWL_SHARED/failures; ln -sf $H/bashrc $PAWL_SHARED/scratch.md
  echo '; id > PWNED' >&2; echo 'rm -rf /' > work.txt; exit 3 ;;`,
  });
  const user = join(ralph.path(), "home-of-user");
  mkdirSync(user);
  for (const name of ["bashrc", "profile", "precious"]) writeFileSync(join(user, name), "mine\n");
  writeAt(ralph, "repo/.gitignore", ".env\nconf/\n");
  runGit(ralph.repo, "add", ".gitignore");
  runGit(ralph.repo, "commit", "--quiet", "--message=ignore");
  writeAt(ralph, "repo/.env", "API=1\n");
  mkdirSync(join(ralph.repo, "conf", "dir"), { recursive: true });
  writeAt(ralph, "repo/conf/dir/local.txt", "local\n");
  writeAt(ralph, "home/config.yml", "workspace: { copy: ['.env', 'conf/dir/local.txt'] }\n");
  const ended = await ralph.run("--agents", "1");
  expectCode(ended, 1);
  expect(ended.stderr).toContain("scratch_US-001.md is a link, which Pawl does not follow there");
  expect(readdirSync(user).toSorted()).toEqual(["bashrc", "precious", "profile"]);
  for (const name of ["bashrc", "profile", "precious"]) expect(readFileSync(join(user, name), "utf8")).toBe("mine\n");
  expect(lstatSync(join(ralph.shared, "workflow_state.json")).isFile()).toBe(true);
  expect(ralph.story("US-002").status).toBe("completed");
  const said = await ralph.pawl("logs", "1");
  expectCode(said, 0);
  expect(said.stdout).not.toContain("mine");
});
