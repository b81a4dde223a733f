// A project whose phases are decided by real files: the workflow of test/fixtures/decisions, the toy protocol with readers of
// positions, and an agent that writes the results which a list gives for each stage.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { storyId } from "../../src/domain/ids.ts";
import { readEvidence } from "../../src/protocols/files/evidence.ts";
import type { DecisionReader, Protocol } from "../../src/protocols/protocol.ts";
import { tempDir } from "./repository.ts";
import { toy } from "./toy-protocol.ts";
import { makeToyWorld, type ToyWorld } from "./toy-world.ts";

export const decisionsWorkflow = readFileSync(
  fileURLToPath(new URL("../fixtures/decisions/workflow.yml", import.meta.url)),
  "utf8",
);

/** Performs a stage: takes the next line of its list, else the last one, and writes it into its result file. */
const skill = `
say() { # LIST FILE
  n=$(cat "$LISTS/$1.count" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > "$LISTS/$1.count"
  mkdir -p "results/$PAWL_STORY"
  line=$(sed -n "\${n}p" "$LISTS/$1"); [ -n "$line" ] || line=$(tail -n 1 "$LISTS/$1")
  printf '%s\\n' "$line" > "results/$PAWL_STORY/$2"
}
echo "\${PAWL_STORY:-run}/$PAWL_STEP" >> "$LISTS/performed"
case "$PAWL_STEP" in
  verify) say verify verification.json ;;
  review) say review review.json ;;
  test) say test junit.xml ;;
  roadmap) cp "$LISTS/plan" plan.txt ;;
  audit) head -n 1 plan.txt >> done.txt; sed -i 1d plan.txt ;;
esac
echo STATUS: done
`;

export interface Results {
  /** A line per milestone, with its phases. */
  readonly plan: readonly string[];
  readonly verify: readonly string[];
  readonly review: readonly string[];
  readonly test: readonly string[];
}

const good: Results = {
  plan: ["M1-P1"],
  verify: ['{"passed": true}'],
  review: ['{"verdict": "PASS"}'],
  test: ["<testsuite><testcase name='a'/></testsuite>"],
};

/** `plan.txt` has a line per milestone that is left. A reader only reads it. */
const position: DecisionReader = {
  values: ["roadmap", "phases", "complete"],
  plans: true,
  read({ workspace }) {
    const read = readEvidence(workspace, "plan.txt");
    const evidence = [read.evidence];
    if (read.kind === "missing") return { value: "roadmap", why: read.why, evidence };
    if (read.kind !== "text") return { value: "unknown", why: read.why, evidence };
    const phases = (read.text.split("\n")[0] ?? "").split(" ").filter((id) => id !== "");
    const stories = phases.map((id) => ({
      id: storyId(id),
      title: id,
      description: "",
      acceptanceCriteria: [],
      dependsOn: [],
    }));
    return phases.length === 0
      ? { value: "complete", why: "no milestone is left", evidence }
      : { value: "phases", why: `the milestone has ${phases.join(" ")}`, evidence, stories };
  },
};

const standing: DecisionReader = {
  values: ["plan", "verify-failed", "tested"],
  read({ workspace, attempt }) {
    const read = readEvidence(workspace, `results/${attempt.story}/verification.json`);
    const failed = read.kind === "text" && read.text.includes("false");
    return { value: failed ? "verify-failed" : "plan", why: "by its verification", evidence: [read.evidence] };
  },
};

const milestone: DecisionReader = {
  values: ["more", "complete"],
  read({ workspace }) {
    const { evidence, ...read } = readEvidence(workspace, "plan.txt");
    if (read.kind !== "text") return { value: "unknown", why: read.why, evidence: [evidence] };
    return { value: read.text.trim() === "" ? "complete" : "more", why: "by the plan", evidence: [evidence] };
  },
};

export const decidingToy: Protocol = {
  ...toy,
  storiesFor: () => null,
  readers: { position, standing, milestone },
};

export interface DecisionsWorld extends ToyWorld {
  /** What was performed by agents, in order: `story/step`. */
  performed(): readonly string[];
}

export async function makeDecisionsWorld(results: Partial<Results> = {}): Promise<DecisionsWorld> {
  const lists = tempDir("pawl-decisions-");
  for (const [name, lines] of Object.entries({ ...good, ...results }))
    writeFileSync(join(lists, name), `${lines.join("\n")}\n`);
  const agent = `LISTS='${lists}'\n${skill}`;
  const world = await makeToyWorld(decidingToy, { workflow: decisionsWorkflow, agent });
  const file = join(lists, "performed");
  return { ...world, performed: () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []) };
}
