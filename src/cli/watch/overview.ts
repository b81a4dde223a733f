// The overview of `pawl watch`. Owns: the lines of all runs, what needs a person first, and which run a line belongs to.

import type { LiveAgent } from "../../application/looking/live-run.ts";
import type { WatchDocument, WatchedAgent, WatchedRun } from "../../contracts/watch-document.ts";
import { counted } from "../../domain/counted.ts";
import { cellsOf, fit } from "../../transcript/cells.ts";
import { money } from "../../transcript/money.ts";
import { plainText } from "../../transcript/plain-text.ts";
import type { ShownLine } from "../../transcript/rendering.ts";
import { agentLine } from "../output/live-lines.ts";
import { durationText } from "../output/table.ts";

export interface OverviewLine extends ShownLine {
  /** The place of its run among all that are listed; null: it belongs to none. */
  readonly item: number | null;
}

/** In the order of the screen. */
export function listedRuns({ needsYou, working, recent }: WatchDocument): readonly WatchedRun[] {
  return [...needsYou, ...working, ...recent];
}

export function overviewLines(document: WatchDocument, columns: number): readonly OverviewLine[] {
  const now = Date.parse(document.at);
  const { needsYou, working, recent } = document;
  const lines: OverviewLine[] = [];
  const add = (item: number | null, tone: ShownLine["tone"], text: string) =>
    lines.push({ item, tone, text: fit(flat(text), columns) });
  const agents = working.reduce((sum, run) => sum + run.agents.length, 0);
  add(null, "strong", `pawl · ${needsYou.length} for you · ${working.length} working · ${counted(agents, "agent")}`);
  let item = 0;
  const section = (title: string, runs: readonly WatchedRun[], tone: ShownLine["tone"]) => {
    if (runs.length > 0) add(null, "dim", title);
    for (const run of runs) {
      add(item, tone, rowOf(run, columns, now));
      if (run.need !== null) add(item, "plain", `    ${run.need.kind === "gate" ? "?" : "!"} ${run.need.text}`);
      for (const agent of run.agents)
        lines.push({ item, tone: "plain", text: `  ${agentLine(liveAgent(agent), columns - 2, now)}` });
      item += 1;
    }
  };
  section("NEEDS YOU", needsYou, "warning");
  section("WORKING", working, "good");
  section("RECENT", recent, "dim");
  if (item === 0) add(null, "plain", 'There is no run yet: pawl demo, or pawl run feature-dev "…"');
  return lines;
}

const marks: Readonly<Record<WatchedRun["status"], string>> = {
  running: "●",
  held: "?",
  paused: "‖",
  done: "✓",
  failed: "✗",
  cancelled: "-",
};

function rowOf(run: WatchedRun, columns: number, now: number): string {
  const { number, workflow, task, status, stories, costUsd, estimatedUsd, startedAt, endedAt } = run;
  const end = endedAt === null ? now : Date.parse(endedAt);
  const right = [
    ...(stories.of > 0 ? [`${stories.done} of ${stories.of}`] : []),
    ...(costUsd > 0 ? [money({ costUsd, estimatedUsd })] : []),
    status,
    durationText(end - Date.parse(startedAt)),
  ].join(" · ");
  const left = flat(`${marks[status]} #${number} ${workflow}: ${task.split("\n", 1)[0] ?? ""}`);
  const room = columns - cellsOf(right) - 3;
  if (room < 12) return `${left} ${right}`;
  const shown = fit(left, room);
  return `${shown}${" ".repeat(room - cellsOf(shown) + 1)} ${right}`;
}

function liveAgent({ tokens, costUsd, doing, turns, startedAt, ...agent }: WatchedAgent): LiveAgent {
  const usage = tokens === null ? null : { inputTokens: tokens, cacheReadTokens: 0, outputTokens: 0, costUsd };
  return { ...agent, startedAt: Date.parse(startedAt), activity: { doing, turns, usage } };
}

function flat(text: string): string {
  return plainText(text)
    .replace(/[\t\n]+/g, " ")
    .trimEnd();
}
