import { expect, test } from "vitest";
import { agentName } from "../../domain/ids.ts";
import type { Executors } from "../../runtime/parts.ts";
import { idleNames, onlyInstalled, onlyThese, withoutPrograms } from "./allowed-executors.ts";

class Configured {
  readonly #names = ["claude", "codex", "command: sh agent.sh"];
  namesFor = () => this.#names;
  accountOf(name: string) {
    return `${name} of ${this.#names.length}`;
  }
}

const executors = new Configured() as unknown as Executors;
const namesOf = (allowed: Executors) => allowed.namesFor({} as never, agentName("a"));

test("[WK56] a worker takes only the executors that its configuration names; without that, all", () => {
  expect(namesOf(onlyThese(executors, ["codex"]))).toEqual(["codex"]);
  expect(namesOf(onlyThese(executors, []))).toEqual([]);
  expect(onlyThese(executors, null)).toBe(executors);
});

test("[WK56] a guest leaves out what it does not know or has not installed", () => {
  const some = { ...executors, namesFor: executors.namesFor, isThere: (name: string) => name === "codex" } as Executors;
  expect(namesOf(onlyInstalled(some))).toEqual(["codex"]);
});

test("[CM182] of the names of a worker's configuration, those that are not known or not installed are said", () => {
  const every = () => ["claude", "codex"].map((name) => ({ name, kind: name }));
  const some = { every, isThere: (name: string) => name === "codex" || name.startsWith("command:") };
  expect(idleNames(some, ["codex", "command: sh agent.sh"])).toEqual([]);
  expect(idleNames(some, ["claude", "cluade"])).toEqual([
    "worker.executors names claude: its program is not installed here",
    "worker.executors names cluade: no executor of that name is configured here; did you mean claude? known are: claude, codex",
  ]);
});

test("[WK5] programs that a run names itself are left out, and everything else stays as it is", () => {
  const careful = withoutPrograms(executors);
  expect(namesOf(careful)).toEqual(["claude", "codex"]);
  expect(careful.refused?.({} as never, agentName("a"))).toEqual(["command: sh agent.sh"]);
  expect(careful.accountOf("claude")).toBe("claude of 3");
});
