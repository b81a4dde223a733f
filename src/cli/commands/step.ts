// `pawl step`. Owns: the pull driver as agents call it: peek, claim, complete, fail, stories.

import type { Command } from "commander";
import type { Decision } from "../../domain/decision.ts";
import { exitCodes } from "../../domain/error.ts";
import { hasWork } from "../../runtime/attempt/claim/claim.ts";
import { completeStep, failStep, pullStep } from "../../runtime/attempt/execute/pull.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { readStdin, readText } from "../input.ts";
import { findRun } from "../reference.ts";
import { withSession } from "../session.ts";
import { define as defineStories } from "./stories.ts";

export function define(program: Command, console: Console): void {
  const step = program.command("step").description("for agents that take their work themselves");

  step
    .command("peek")
    .description("whether a claim would get something: HAS_WORK or NO_WORK")
    .argument("<agent>", "<workflow>/<agent> or <workflow>_<agent>")
    .addHelpText("after", example("pawl step peek feature-dev/developer"))
    .action(async (agent: string, options: { store?: string }) => {
      await withSession({ store: options.store }, async ({ parts }) => {
        const found = await hasWork(parts, agentKey(agent));
        if (console.json) console.document({ hasWork: found });
        else console.print(found ? "HAS_WORK" : "NO_WORK");
      });
    });

  step
    .command("claim")
    .description("take the next step of an agent; prints JSON")
    .argument("<agent>", "<workflow>/<agent> or <workflow>_<agent>")
    .option("--run <run>", "only from this run")
    .addHelpText("after", example("pawl step claim feature-dev/developer"))
    .action(async (agent: string, options: { run?: string; store?: string }) => {
      await withSession({ store: options.store }, async ({ parts }) => {
        const run = options.run === undefined ? null : (await findRun(parts.store, options.run)).id;
        const pulled = await pullStep(parts, agentKey(agent), run);
        if (!pulled) return console.print(JSON.stringify({ found: false }));
        const { handle, story, attempt, token, input } = pulled;
        console.print(
          JSON.stringify({ found: true, runId: pulled.run, stepId: handle, storyId: story, attempt, token, input }),
        );
      });
    });

  step
    .command("complete")
    .description("report what an agent answered; reads stdin unless a file or words are given")
    .argument("<step>", "the stepId that `claim` printed")
    .argument("[words...]", "the answer")
    .option("--token <token>", "the token that `claim` printed")
    .option("--file <file>", "read the answer from here")
    .addHelpText("after", example("echo 'STATUS: done' | pawl step complete STEP --token TOKEN"))
    .action(async (handle: string, words: string[], options: { token?: string; file?: string; store?: string }) => {
      const text =
        options.file !== undefined ? readText(options.file) : words.length > 0 ? words.join(" ") : await readStdin();
      await withSession({ store: options.store }, async ({ parts }) => {
        report(console, await completeStep(parts, handle, options.token ?? null, text));
      });
    });

  step
    .command("fail")
    .description("report that an agent could not do its work")
    .argument("<step>", "the stepId that `claim` printed")
    .argument("<reason...>", "what went wrong")
    .option("--token <token>", "the token that `claim` printed")
    .addHelpText("after", example('pawl step fail STEP --token TOKEN "the build machine is down"'))
    .action(async (handle: string, reason: string[], options: { token?: string; store?: string }) => {
      await withSession({ store: options.store }, async ({ parts }) => {
        report(console, await failStep(parts, handle, options.token ?? null, reason.join(" ")));
      });
    });

  defineStories(step, console);
}

/** antfarm joins the two with an underscore; workflow ids have none. */
function agentKey(name: string): string {
  return name.includes("/") ? name : name.replace("_", "/");
}

function report(console: Console, decision: Decision): void {
  if (!decision.accepted) {
    console.print(JSON.stringify({ accepted: false, why: decision.why }));
    console.exitCode = exitCodes.refused;
    return;
  }
  const ended = decision.events.find((event) => event.type === "attempt_ended");
  const { end } = decision.run.header;
  console.print(
    JSON.stringify({
      accepted: true,
      advanced: decision.events.some((event) => event.type === "step_done" || event.type === "steps_reset"),
      runDone: end?.status === "done",
      runFailed: end?.status === "failed",
      outcome: ended?.outcome ?? null,
      why: ended?.why ?? "",
    }),
  );
}
