// Measures the CPU that a driver uses for one story of a PRD of 1,066 stories, of which 1,008 are done, against a PRD of 58: with
// integration, the state file and `passes` in the PRD.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stepId, stepName } from "../src/domain/ids.ts";
import type { AdoptedStory } from "../src/domain/story.ts";
import { plainProject } from "../src/runtime/config/config.ts";
import { beginRun } from "../src/runtime/runs/start.ts";
import { openWorkflow } from "../src/runtime/runs/workflow-library.ts";
import { type Measurement, median, ms } from "./measure.ts";
import { storySpec } from "./story-runs.ts";
import { driveStories, git } from "./story-world.ts";
import { openWorld } from "./world.ts";

const open = 58;
const doneBefore = 1_008;
const stepsBefore = 10;

export const prdStories: Measurement = {
  name: "prd-stories",
  async measure({ quick, scratch }) {
    const stories = quick ? 20 : open;
    const taken: Record<"few" | "many", number[]> = { few: [], many: [] };
    // In turn: the first run of all is the slowest, because the code is compiled in it.
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      taken.few.push(await cpuPerStory(join(scratch, `few-${round}`), stories, 0));
      taken.many.push(await cpuPerStory(join(scratch, `many-${round}`), stories, doneBefore));
    }
    const [few, many] = [median(taken.few), median(taken.many)];
    return [
      {
        what: `driver CPU of a story in a PRD of ${doneBefore + stories}, against ${stories}`,
        measured: `${ms(many)} against ${ms(few)}`,
        value: many / few,
        unit: "times",
        target: { atMost: 1.3 },
      },
    ];
  },
};

async function cpuPerStory(scratch: string, count: number, before: number): Promise<number> {
  const repo = join(scratch, "repo");
  mkdirSync(repo, { recursive: true });
  const specs = Array.from({ length: before + count }, (_, index) => storySpec(index + 1));
  const adopted = specs.slice(0, before).map(({ id }): AdoptedStory => ({ id, status: "done", chain: doneChain() }));
  const prd = join(repo, "prd.json");
  writeFileSync(
    prd,
    JSON.stringify({ userStories: specs.map((spec, index) => ({ ...spec, passes: index < before })) }, null, 2),
  );
  git(repo, "init", "--quiet", "--template=", "--initial-branch=main");
  git(repo, "config", "user.name", "Bench");
  git(repo, "config", "user.email", "bench@example.invalid");
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "--message=first");
  const workflow = join(scratch, "workflow.yml");
  writeFileSync(workflow, workflowText);
  const agent = join(scratch, "agent.sh");
  writeFileSync(agent, 'echo "$PAWL_STORY" > "$PAWL_STORY.txt"\necho SUMMARY\necho done\n');
  const parts = await openWorld(join(scratch, "home"), { agent: `sh ${agent}` });
  const { run } = await beginRun(parts, {
    workflow: openWorkflow(parts.home, workflow, parts.protocols),
    task: "measure",
    repo,
    base: null,
    inPlace: false,
    context: {},
    executor: null,
    author: "bench",
    tighten: (definition) => definition,
    project: plainProject,
    given: { stories: specs, adopted, source: prd, shared: join(scratch, "shared") },
  });
  const cpuBefore = process.cpuUsage();
  await driveStories(parts, run, 4);
  await parts.projections.close();
  const { user, system } = process.cpuUsage(cpuBefore);
  await parts.store.close();
  return (user + system) / 1000 / count;
}

/** What a story that is done has in the state file. */
function doneChain(): AdoptedStory["chain"] {
  return Array.from({ length: stepsBefore }, (_, index) => ({
    id: stepId(`step-${index + 1}`),
    name: stepName("code"),
    description: "A step of a usual length, with what it was told to do.",
    state: "done",
    reason: "",
    notes: "What it did, in a few sentences, so that the next step finds its way. ".repeat(3),
    restarts: 0,
  }));
}

const workflowText = `pawl: 1
protocol: ralph
id: prd-stories
agents: { worker: {} }
caps: { attempts: 100000, steps: 100000 }
steps:
  - id: stories
    stories: { concurrency: 4, workspace: worktree, branch_prefix: bench/, ids: numbers }
    body:
      - { id: code, agent: worker, summary: true, on_error: fail }
      - { id: integrate, integrate: { message: "feat: {{story}} - {{title}}" } }
`;
