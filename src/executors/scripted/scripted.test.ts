import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { log, makeRepository, tempDir } from "../../../test/support/repository.ts";
import { describeExecutor } from "../executor.contract.ts";
import type { Executor } from "../executor.ts";
import { type Act, actFor, fill, readScript } from "../script.ts";
import { scriptedExecutor } from "./scripted.ts";

const scripts = mkdtempSync(join(tmpdir(), "pawl-scripts-"));
afterAll(() => rmSync(scripts, { recursive: true, force: true }));
let count = 0;

function playing(...acts: readonly Act[]): Executor {
  count += 1;
  const file = join(scripts, `${count}.yml`);
  writeFileSync(file, stringify({ steps: { work: acts } }));
  return scriptedExecutor(file);
}

describeExecutor("scripted", () => ({
  shell: (text) => playing({ run: [text] }),
  echo: () => playing({ say: "{{prompt}}" }),
  absent: () => scriptedExecutor(join(scripts, "nowhere.yml")),
}));

interface Cue {
  readonly step?: string;
  readonly story?: string;
  readonly attempt?: number;
  readonly cwd?: string;
}

async function play(executor: Executor, { step = "work", story = "", attempt = 1, cwd = tempDir() }: Cue = {}) {
  const env = { PAWL_STEP: step, PAWL_STORY: story, PAWL_ATTEMPT: String(attempt), PAWL_STORY_TITLE: "A title" };
  const call = { prompt: "the prompt", cwd, env, attempt: "at-scripted", wallMs: null, quietMs: null };
  return await executor.start({ ...call, onOutput: () => undefined }).ended;
}

describe("acts", () => {
  test("[EX15] the first act that fits the story and the attempt is played", async () => {
    const script = playing(
      { story: "US-002", attempt: 1, say: "a" },
      { story: "US-002", say: "b" },
      { attempt: 2, say: "c" },
      { say: "d" },
    );
    const said = async (cue: Cue) => (await play(script, cue)).text;
    expect(await said({ story: "US-002" })).toBe("a\n");
    expect(await said({ story: "US-002", attempt: 3 })).toBe("b\n");
    expect(await said({ story: "US-001", attempt: 2 })).toBe("c\n");
    expect(await said({ story: "US-001" })).toBe("d\n");
  });

  test("[EX15] a step without an act fails and says which", async () => {
    const end = await play(playing({ story: "US-002", say: "a" }), { story: "US-001", attempt: 4 });
    expect(end).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining("step work, story US-001, attempt 4"),
    });
    const stranger = await play(playing({ say: "a" }), { step: "other" });
    expect(stranger).toMatchObject({ outcome: "failed", why: expect.stringContaining("step other") });
  });

  test("[EX15] `*` stands for every step that has no acts of its own", () => {
    const script = readScript("steps: { '*': [{ say: any }], plan: [{ say: own }] }", "script.yml");
    const cue = { story: "", attempt: 1 };
    expect(actFor(script, { ...cue, step: "plan" })?.say).toBe("own");
    expect(actFor(script, { ...cue, step: "verify" })?.say).toBe("any");
  });

  test("[EX16] an act waits, writes, appends, runs, commits, says and exits, in that order", async () => {
    const repo = makeRepository();
    const script = playing({
      delay: 300,
      write: { "src/{{story}}.txt": "{{title}}\n" },
      append: { "README.md": "more\n" },
      run: ["test -f src/US-001.txt", "echo ran"],
      commit: "feat: {{story}} - {{title}}",
      complain: "a warning",
      say: "STATUS: done",
      exit: 7,
    });
    const begun = performance.now();
    const end = await play(script, { story: "US-001", cwd: repo });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(300);
    expect(end).toMatchObject({ outcome: "failed", why: "exit code 7: a warning", text: "ran\nSTATUS: done\n" });
    expect(log(repo)).toEqual(["feat: US-001 - A title", "first"]);
    expect(readFileSync(join(repo, "README.md"), "utf8")).toBe("# a project\nmore\n");
    const amended = await play(playing({ write: { "a.txt": "a" }, amend: true }), { cwd: repo });
    expect(amended.outcome).toBe("ran");
    expect(log(repo)).toEqual(["feat: US-001 - A title", "first"]);
  });

  test("[EX16] a command that fails ends the act with its exit code", async () => {
    const end = await play(playing({ run: ["exit 9"], say: "STATUS: done" }));
    expect(end).toMatchObject({ outcome: "failed", text: "" });
  });

  test("[EX16] an act writes nothing outside its workspace", async () => {
    const end = await play(playing({ write: { "../outside.txt": "x" }, say: "STATUS: done" }));
    expect(end).toMatchObject({ outcome: "failed", why: expect.stringContaining("outside the workspace") });
  });

  test("[EX16] words in double braces that the cue does not know stay as they are", () => {
    expect(fill("{{story}} {{ step }} {{unknown}} {story}", { story: "US-001", step: "work" })).toBe(
      "US-001 work {{unknown}} {story}",
    );
  });
});

describe("scripts that are wrong", () => {
  test.each([
    ["steps: [", "line 1"],
    ["{}", "steps"],
    ["steps: { work: [] }", "steps.work"],
    ["steps: { work: [{ sya: hello }] }", "sya"],
    ["steps: { work: [{ exit: 300 }] }", "steps.work.0.exit"],
    ["steps: { work: [{ attempt: 0 }] }", "steps.work.0.attempt"],
    ["- a list", "the file"],
  ])("[EX17] %s is refused with where it is wrong", (source, place) => {
    const read = () => readScript(source, "script.yml");
    expect(read).toThrow(expect.objectContaining({ code: "SCRIPT_INVALID", hint: expect.stringContaining("docs/") }));
    expect(read).toThrow(place);
  });

  test("[EX17] the agent says so too, and it is a failure with the reason", async () => {
    const file = join(scripts, "wrong.yml");
    writeFileSync(file, "steps: { work: [{ sya: hello }] }");
    const end = await play(scriptedExecutor(file));
    expect(end).toMatchObject({ outcome: "failed", why: expect.stringContaining("sya") });
  });
});
