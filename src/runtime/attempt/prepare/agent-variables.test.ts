// Variables of agents, and what a file may say of the environment: no key, no address and no home of any agent is a repository's
// to set, and no directory is opened by a variable.

import { expect, test } from "vitest";
import { agents, profileOf } from "../../../../test/support/agents.ts";
import { tempDir } from "../../../../test/support/repository.ts";
import { makeWorld } from "../../../../test/support/world.ts";
import { serverOf } from "../../../executors/acp/server.ts";
import type { ExecutorCall } from "../../../executors/executor.ts";
import { wrongVariable } from "../../../workflows/format/environment.ts";
import { plainWorkspace } from "../../config/config.ts";

test.each(agents.kinds)("[WF58] what %s is paid, led or confined by cannot be set by a file", async (name) => {
  const profile = await profileOf(name);
  const server = profile.acp && serverOf({ name, command: null, preset: profile });
  const keys = server?.keys ?? profile.keys;
  const asked: string[] = [];
  const seen = new Proxy<Record<string, string>>(
    {},
    {
      get(_, key) {
        asked.push(String(key));
        return undefined;
      },
    },
  );
  profile.places(seen);
  const set = Object.keys({ ...server?.env?.("free", []), ...server?.env?.("reading", []) });
  expect(asked).toContain("HOME");
  expect([...keys, ...asked, ...set].filter((key) => wrongVariable(key, "x") === null)).toEqual([]);
});

const stories = 'STORIES_JSON: [{"id":"US-001","title":"One","description":"d","acceptanceCriteria":["c"]}]';

test("[EX77] an agent is told in which directories beside its tree it may write, whatever the environment says", async () => {
  const world = await makeWorld({
    agent: `case $PAWL_STEP in plan) printf '%s\\n' 'STATUS: done' '${stories}' ;; *) echo STATUS: done ;; esac`,
    steps: `
  - { id: plan, agent: worker, input: "{{task}}" }
  - id: all
    stories: { workspace: worktree }
    body: [{ id: work, agent: worker, input: "{{current_story}}" }, { id: land, integrate: true }]
`,
  });
  const calls: ExecutorCall[] = [];
  const { executors } = world.parts;
  const elsewhere = tempDir();
  const parts = {
    ...world.parts,
    // As a file would say that was read before such names were refused.
    settings: {
      workspace: {
        ...plainWorkspace,
        env: { A: "b", PAWL_PROGRESS_FILE: `${elsewhere}/p.txt`, RALPH_SHARED_DIR: elsewhere },
      },
    },
    executors: {
      ...executors,
      async get(name: string) {
        const executor = await executors.get(name);
        const start = (call: ExecutorCall) => {
          calls.push(call);
          return executor.start(call);
        };
        return { ...executor, start };
      },
    },
  };
  const run = await world.begin("do it", parts);
  expect(await world.drive(run, { parts })).toBe("done");
  const call = calls.find(({ env }) => env["PAWL_STEP"] === "work");
  expect(call?.env["A"]).toBe("b");
  const log = call?.env["PAWL_PROGRESS_FILE"] ?? "";
  expect(log.startsWith(world.home.agents)).toBe(true);
  expect(call?.outside).toEqual([log.slice(0, log.lastIndexOf("/"))]);
});
