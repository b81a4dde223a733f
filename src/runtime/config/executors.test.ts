// An agent that only a test knows: what follows from its descriptor and its profile.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { callWith } from "../../../test/support/stub-agents.ts";
import type { Definition } from "../../domain/definition.ts";
import type { AgentName } from "../../domain/ids.ts";
import type { AgentDescriptor } from "../../executors/agent/agent-descriptor.ts";
import type { AgentProfile } from "../../executors/agent/agent-profile.ts";
import { AgentRegistry } from "../../executors/agent/registry.ts";
import { openCommand } from "../../executors/agent/sessions.ts";
import { StreamState } from "../../executors/stream/stream-state.ts";
import { readConfig } from "./config.ts";
import { executorsOf } from "./executors.ts";

const descriptor: AgentDescriptor = {
  kind: "toy",
  title: "Toy",
  oldest: "1.0.0",
  can: { effort: false, money: false, readOnly: false, isolation: false },
  openSession: { args: (session) => ["open", session], home: null },
  acp: null,
};

const profile: AgentProfile = {
  ...descriptor,
  newReader: (now) => {
    const state = new StreamState(now);
    return {
      noise: [],
      read: () => [state.says("STATUS: done"), state.isOver(null)],
      end: (exit) => state.reading(exit),
    };
  },
  install: "install Toy",
  login: "log in",
  keys: [],
  keeps: { turns: false, money: false },
  system: null,
  sessions: null,
  places: () => ({ written: [], kept: [] }),
  prepare: () => ({ args: [], env: {} }),
};

const agents = new AgentRegistry([{ ...descriptor, profile: async () => profile }]);

/** Its program prints its version when it is asked, else one event. */
function installToy(version: string): void {
  const dir = tempDir();
  const file = join(dir, "toy");
  writeFileSync(file, `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo '{"any":"event"}'\n`);
  chmodSync(file, 0o755);
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = `${dir}:${path}`;
  onTestFinished(() => {
    process.env["PATH"] = path;
  });
}

async function configOf(text: string) {
  const file = join(tempDir(), "config.yml");
  writeFileSync(file, text);
  return await readConfig(file, null, agents);
}

const anyRun = { executor: null, definition: { agents: {} } as Definition };

test("[EX95] an agent of the registry is chosen, probed, configured, accounted, opened and run by its descriptor and profile", async () => {
  const executors = executorsOf(await configOf("executors: { mine: { kind: toy, model: m } }"), agents, {
    home: tempDir,
  });
  expect([executors.usual(), executors.known()]).toEqual([null, [{ name: "mine", kind: "toy" }]]);
  installToy("1.2.3");
  expect(executors.usual()).toBe("mine");
  expect(executors.namesFor(anyRun, "worker" as AgentName)).toEqual(["mine"]);
  expect(executors.accountOf("mine")).toBe("toy");
  expect(await executors.probe(executors.every())).toEqual([
    { name: "mine", kind: "toy", installed: true, version: "1.2.3", problem: "", hint: "" },
    { name: "toy", kind: "toy", installed: true, version: "1.2.3", problem: "", hint: "" },
  ]);
  const place = { cwd: null, program: "toy", isolated: false, home: "/h" };
  expect(openCommand(descriptor, "s-1", place)).toBe("toy open s-1");
  const toy = await executors.get("toy");
  expect(await toy.start(callWith()).ended).toMatchObject({ outcome: "ran", text: "STATUS: done", version: "1.2.3" });
});

test("[EX95] its settings are refused where it cannot follow them, and so are agents that are not in the registry", async () => {
  await expect(configOf("executors: { toy: { effort: high } }")).rejects.toThrow("toy has no levels of effort");
  await expect(configOf("executors: { toy: { access: read } }")).rejects.toThrow("toy cannot be kept from writing");
  await expect(configOf("executors: { x: { kind: acp, preset: toy } }")).rejects.toThrow("executors.x.preset");
  await expect(configOf("executors: { x: { kind: claude } }")).rejects.toThrow("executors.x.kind");
});

test("[EX95] one that is older than its descriptor needs is found and cannot be used", async () => {
  installToy("0.9.9");
  const executors = executorsOf(await configOf(""), agents, { home: tempDir });
  expect(await executors.probe(executors.known())).toMatchObject([
    { name: "toy", installed: false, version: "0.9.9", problem: expect.stringContaining("needs 1.0.0 or newer") },
  ]);
});
