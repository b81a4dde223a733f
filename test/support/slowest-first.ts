// The order of the test files: those that take longest first, so that no worker stands idle at the end while another has a long one.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** From the slowest on; all others come after them. A list, because a fresh clone knows nothing of earlier runs. */
const slowest = [
  "test/chaos/lost-guests.postgres.test.ts",
  "test/e2e/workers.postgres.test.ts",
  "test/chaos/workers.postgres.test.ts",
  "test/chaos/tidied-guests.postgres.test.ts",
  "test/e2e/guests.postgres.test.ts",
  "src/application/lifecycle/sessions.test.ts",
  "src/workspaces/integration/integration.test.ts",
  "src/runtime/loop/recover.test.ts",
  "test/chaos/lifecycle-kills.test.ts",
  "test/chaos/project-kills.test.ts",
  "test/chaos/stories.test.ts",
  "test/chaos/chaos.test.ts",
  "src/protocols/lifecycle/readers/reading-properties.test.ts",
  "src/runtime/runs/protocols.test.ts",
  "src/runtime/effects/deliveries.test.ts",
  "src/runtime/attempt/attempt.test.ts",
  "test/e2e/lifecycle.test.ts",
  "src/protocols/lifecycle/lifecycle-files.test.ts",
  "test/e2e/feature-dev-agents.test.ts",
  "src/runtime/loop/driver-role.test.ts",
  "test/e2e/progress.test.ts",
  "test/e2e/pulled-rules.test.ts",
  "test/e2e/setting-up.test.ts",
  "src/runtime/attempt/execute/await-report.test.ts",
  "src/runtime/runs/decisions.test.ts",
  "src/workspaces/integration/forward.test.ts",
  "src/executors/acp/conversation.test.ts",
  "test/e2e/gates.test.ts",
  "src/application/agentic/imported.test.ts",
  "test/e2e/ralph-recovery.test.ts",
  "test/e2e/antfarm-defects.test.ts",
  "test/e2e/documents.test.ts",
  "test/e2e/feature-dev.test.ts",
  "test/e2e/ralph-checkout.test.ts",
  "src/protocols/agentic/agentic.test.ts",
  "src/workspaces/trees/worktree.test.ts",
  "test/e2e/ralph-import.test.ts",
  "test/e2e/failover.test.ts",
  "src/workspaces/trees/restore.test.ts",
  "test/e2e/antfarm-workflows.test.ts",
  "test/e2e/pulling.test.ts",
  "src/application/agentic/levels.test.ts",
  "src/executors/acp/acp.test.ts",
  "src/workspaces/trees/heal.test.ts",
  "src/application/agentic/sessions.test.ts",
  "src/application/lifecycle/other-stages.test.ts",
  "src/executors/agent/agent-cli.test.ts",
];

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const gone = slowest.filter((file) => !existsSync(join(root, file)));
    if (gone.length > 0) throw new Error(`test/support/slowest-first.ts names files that are gone: ${gone.join(", ")}`);
    const ranks = new Map(slowest.map((file, rank) => [join(root, file), rank]));
    const rankOf = ({ moduleId }: TestSpecification) => ranks.get(moduleId) ?? slowest.length;
    // oxlint-disable-next-line unicorn/no-array-sort -- It is no array.
    const sorted = await super.sort(files);
    // A process that takes several files ends when the next one is of another project.
    const places = new Map([...new Set(sorted.map(projectOf))].map((project, place) => [project, place]));
    const placeOf = (file: TestSpecification) => places.get(projectOf(file)) ?? 0;
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other) || rankOf(one) - rankOf(other));
  }
}

function projectOf({ project }: TestSpecification): string {
  return project.name;
}
