// A run of the bundled lifecycle in the engine alone, with the session that its log gives. Positions and results are said, not read.

import { readFileSync } from "node:fs";
import type { Definition } from "../../src/domain/definition.ts";
import type { WaitsLevel } from "../../src/domain/run.ts";
import { factsOf, withDefaults } from "../../src/protocols/complete-protocol.ts";
import { lifecycle } from "../../src/protocols/lifecycle/lifecycle.ts";
import { type SessionDocument, sessionDocument } from "../../src/protocols/lifecycle/session/session-document.ts";
import { SessionLog } from "../../src/protocols/lifecycle/session/session-log.ts";
import { packageFile } from "../../src/system/package-root.ts";
import { loadWorkflow } from "../../src/workflows/load.ts";
import { Driver } from "./engine/driver.ts";

export function lifecycleDefinition(change: (text: string) => string = (text) => text): Definition {
  const file = packageFile("workflows/lifecycle/workflow.yml");
  const { definition, problems } = loadWorkflow(change(readFileSync(file, "utf8")), file, [
    factsOf(withDefaults(lifecycle)),
  ]);
  if (definition === null) throw new Error(JSON.stringify(problems));
  return definition;
}

export class SessionDriver extends Driver {
  constructor(waits: WaitsLevel = "marked", definition = lifecycleDefinition()) {
    super(definition, { waits });
  }

  /** The position of the project, and that of its first phase. */
  stands(position: string, phases: readonly string[] = ["M1-P1"]): this {
    this.say("locate", "phases", { stories: phases.map(phaseSpec) });
    const [first = ""] = phases;
    this.say(`${first}/stand`, position);
    return this;
  }

  /** Goes past the stop before a decision, which then reads that. */
  decides(place: string, word: string, why = ""): void {
    if (this.step(place).state.status === "held") this.answer(place, "continue");
    const decision = { reader: "", value: word, why, evidence: [] };
    this.say(place, word, { feedback: why, facts: { decision } });
  }

  get log(): SessionLog {
    const log = new SessionLog();
    for (const event of this.events) log.apply(event);
    return log;
  }

  get document(): SessionDocument {
    return sessionDocument("ralph-20260506-131226", this.run, this.log);
  }

  /** `skill args` of each step, with a mark: `+` completed, `>` running, `!` failed, `-` skipped. */
  get shown(): readonly string[] {
    const marks = { completed: "+", running: ">", failed: "!", skipped: "-", pending: " " };
    return this.document.steps.map(({ type, skill, args, stage, status }) => {
      const name = type === "decision" ? `◆ ${stage}` : `${skill} ${args}`.trim();
      return `${marks[status]} ${name}`;
    });
  }
}

function phaseSpec(id: string) {
  return { id: id as never, title: id, description: "", acceptanceCriteria: [], dependsOn: [] };
}
