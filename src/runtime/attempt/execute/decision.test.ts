// Decisions in real runs: files in a real tree, the store, gates, evidence, crashes.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toy } from "../../../../test/support/toy-protocol.ts";
import { makeToyWorld } from "../../../../test/support/toy-world.ts";
import { makeWorld, type World } from "../../../../test/support/world.ts";
import { noUsage } from "../../../domain/attempt.ts";
import type { Event } from "../../../domain/event.ts";
import { type RunId, storyId } from "../../../domain/ids.ts";
import type { DecisionRead, DecisionReader, Protocol } from "../../../protocols/protocol.ts";
import { transition } from "../../transition/transition.ts";
import { workspacePath } from "../../trees/places.ts";

const byFile = `
  - { id: work, agent: worker, on_error: fail, input: "Wrong: [{{feedback}}]" }
  - id: post-work
    decision: { reader: json, file: verdict.json, at: /status, values: { proceed: [passed], fix: [failed] } }
    on: { proceed: next, fix: { back_to: work, at_most: 2, then: gate } }
  - { id: tell, command: 'test "$VALUE" = proceed && echo "$EVIDENCE" > "$PAWL_HOME_TOLD"', env: { VALUE: "{{post_work}}", EVIDENCE: "{{evidence}}" } }
`;

type Ended = Extract<Event, { type: "attempt_ended" }>;
const decisionsOf = (events: readonly Event[]) =>
  events.filter(
    (event): event is Ended & Event => event.type === "attempt_ended" && event.facts?.["decision"] !== undefined,
  );

async function answer(world: World, run: RunId, option: string, parts = world.parts): Promise<void> {
  const whole = await world.run(run);
  const gate = [whole.header, ...Object.values(whole.stories)]
    .flatMap(({ gates }) => gates)
    .find(({ state }) => state.status === "open");
  if (!gate) throw new Error("nothing is asked");
  const { story, id, tree } = gate;
  const said = { at: parts.clock.now(), author: "user:ann", story, gate: id, option, note: "", tree };
  await transition(parts, run, { type: "answer_gate", ...said });
}

describe("a decision by a file", () => {
  test("[DE1 RD2 OU1] sends work back and passes it on by what the file says, without an agent or tokens", async () => {
    const agent = `
n=$(ls "$PAWL_SHARED"/said-* 2>/dev/null | wc -l); cat > "$PAWL_SHARED/said-$n"
if [ "$n" = 0 ]; then echo '{"status": "failed"}' > verdict.json; else echo '{"status": "passed"}' > verdict.json; fi
echo STATUS: done`;
    const world = await makeWorld({ agent, steps: byFile.replace("$PAWL_HOME_TOLD", "told.txt") });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    const attempts = (await world.attempts(run)).filter(({ name }) => name === "post-work");
    expect(attempts.map(({ executor, usage }) => [executor, usage.inputTokens])).toEqual([
      ["decision", noUsage.inputTokens],
      ["decision", noUsage.inputTokens],
    ]);
    const [first, second] = decisionsOf(await world.events(run));
    expect(first?.verdict).toEqual({ kind: "value", value: "fix" });
    expect(first?.facts?.["decision"]).toEqual({
      reader: "json",
      value: "fix",
      why: 'verdict.json says "failed" at /status',
      evidence: [{ file: "verdict.json", sha256: expect.stringMatching(/^[0-9a-f]{64}$/), place: "/status (1:12)" }],
    });
    expect(second?.notes[0]).toBe('proceed: verdict.json says "passed" at /status');
    expect(world.read("said-1")).toContain(
      'Wrong: [verdict.json says "failed" at /status\nverdict.json at /status (1:12)',
    );
    const log = join(world.home.logs, run, "run-post-work-2.log");
    expect(readFileSync(log, "utf8")).toMatch(/proceed: verdict.json says .*\n.*sha256 [0-9a-f]{12}\)/);
  });

  test("[DE2 DE6 GA15] what is unknown asks, shows the file and the place, and is read again after it was mended", async () => {
    const world = await makeWorld({
      agent: `echo '{"status": "DONE?"}' > verdict.json; echo STATUS: done`,
      steps: byFile.replace(/ {2}- \{ id: tell.*\n/, ""),
    });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("held");
    const { gates } = (await world.run(run)).header;
    expect(gates[0]).toMatchObject({
      cause: "route",
      tree: null,
      question: expect.stringMatching(
        /^post-work: verdict.json at \/status \(1:12\) \(sha256 \w{12}\)\. What does it say\?$/,
      ),
      feedback: expect.stringContaining('"DONE?" at /status, which means none of: proceed, fix'),
    });
    expect(Object.keys(gates[0]?.options ?? {})).toEqual(["proceed", "fix", "again", "stop"]);
    const tree = workspacePath(world.parts, await world.run(run), null);
    writeFileSync(join(tree, "verdict.json"), '{"status": "passed"}');
    await answer(world, run, "again");
    expect(await world.drive(run)).toBe("done");
    expect((await world.events(run)).map(({ type }) => type)).not.toContain("limits_renewed");
  });
});

const located = `
pawl: 1
protocol: toy
id: located
agents: { worker: {} }
steps:
  - id: locate
    decision: where
    on: { stories: next, over: { go_to: after } }
  - id: all
    stories: { sent_back: nothing }
    body:
      - id: stand
        decision: where
        on: { stories: next, over: { go_to: land } }
      - { id: make, agent: worker, on_error: fail, input: "{{feedback}}" }
      - { id: land, agent: worker, on_error: fail, input: "Land." }
  - { id: after, agent: worker, on_error: fail, input: "After." }
`;

/** The toy protocol with a reader that answers from a list. */
function readingProtocol(answers: readonly (DecisionRead | Error)[]): Protocol & { readonly asked: string[] } {
  const asked: string[] = [];
  const where: DecisionReader = {
    values: ["stories", "over"],
    plans: true,
    read({ attempt, workspace }) {
      asked.push(`${attempt.story ?? "run"} ${workspace === "" ? "nowhere" : "somewhere"}`);
      const read = answers[asked.length - 1] ?? answers.at(-1);
      if (read === undefined || read instanceof Error) throw read ?? new Error("nothing to say");
      return read;
    },
  };
  return { ...toy, readers: { where }, asked };
}

const story = (id: string) => ({ id: storyId(id), title: id, description: "", acceptanceCriteria: [], dependsOn: [] });
const said = (value: string, more: Partial<DecisionRead> = {}): DecisionRead => ({
  value,
  why: `it says ${value}`,
  evidence: [],
  ...more,
});

describe("a reader of a protocol", () => {
  const agent = 'echo "$PAWL_STORY/$PAWL_STEP" >> "$TOY_SHARED_DIR/seen"; echo STATUS: done';
  const begin = async (answers: readonly (DecisionRead | Error)[]) => {
    const protocol = readingProtocol(answers);
    const toys = await makeToyWorld({ ...protocol, storiesFor: () => null }, { workflow: located, agent });
    const run = await toys.begin("planned");
    return { ...toys, protocol, run };
  };

  test("[DE1 DE7 RD7 RT6] plans the stories of the run, and in a story jumps to where it stands", async () => {
    const stories = [story("P1"), story("P2")];
    const { run, drive, world, protocol } = await begin([
      said("stories", { stories, outputs: { phase: "1" }, facts: { position: "plan" } }),
      said("over", { stories: [story("P9")] }),
      said("stories"),
    ]);
    expect(await drive(run)).toBe("done");
    expect(protocol.asked).toEqual(["run somewhere", "P1 somewhere", "P2 somewhere"]);
    const whole = await world.run(run);
    expect(whole.header.stories.map(({ id, status }) => [id, status])).toEqual([
      ["P1", "done"],
      ["P2", "done"],
    ]);
    expect(whole.header.context).toMatchObject({ phase: "1", locate: "stories" });
    const performed = (await world.attempts(run)).map(({ story: of, name }) => `${of ?? "run"}/${name}`);
    expect(performed.toSorted()).toEqual(
      ["run/locate", "run/after", "P1/stand", "P1/land", "P2/stand", "P2/make", "P2/land"].toSorted(),
    );
    const [locate, first] = decisionsOf(await world.events(run));
    expect(locate?.facts).toMatchObject({ position: "plan", decision: { reader: "where", value: "stories" } });
    expect(first?.notes.join()).toContain("its stories were ignored");
  });

  test("[RD1 RD6 PO9] what it does not declare is unknown, and one that throws asks a person", async () => {
    const { run, drive, world, parts } = await begin([said("nowhere"), new Error("boom"), said("over")]);
    expect(await drive(run)).toBe("held");
    const asked = async () => (await world.run(run)).header.gates.at(-1);
    expect(await asked()).toMatchObject({
      feedback: 'it says nowhere: "nowhere", which its reader does not declare',
      question: 'locate: it says nowhere: "nowhere", which its reader does not declare. What does it say?',
    });
    await answer(world, run, "again", parts);
    expect(await drive(run)).toBe("held");
    expect(await asked()).toMatchObject({
      feedback:
        "protocol toy could not read the decision where: boom (fix the protocol toy, then `pawl retry` and `pawl resume`)",
      question: "locate could not be read. What does it say?",
    });
    await answer(world, run, "again", parts);
    expect(await drive(run)).toBe("done");
    expect((await world.run(run)).header.context).toMatchObject({ locate: "over" });
  });
});
