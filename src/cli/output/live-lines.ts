// Live lines. Owns: what a terminal shows of a run that works: one line about the run, and one for each agent: whose it is, what it does,
// what it has used, how long. They are bounded in height and width.

import type { LiveAgent, LiveView } from "../../application/looking/live-run.ts";
import { counted } from "../../domain/counted.ts";
import { cellsOf, column, fit } from "../../transcript/cells.ts";
import { money, tokensText } from "../../transcript/money.ts";
import { plainText } from "../../transcript/plain-text.ts";
import type { ShownLine } from "../../transcript/rendering.ts";
import { durationText } from "./table.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** At most half of the rows: the lines of what happened stay visible. `sign` shows that it is alive. */
export function liveLines(view: LiveView, { columns, rows }: Size, now: number, sign: string): readonly ShownLine[] {
  // A terminal wraps a line that fills its last column.
  const width = columns - 1;
  const most = Math.max(1, Math.floor(rows / 2) - 1);
  const isCut = view.agents.length > most;
  const shown = view.agents.slice(0, isCut ? most - 1 : most);
  const rest = view.agents.length - shown.length;
  return [
    { tone: "strong", text: fit(`${sign} ${headOf(view, now)}`, width) },
    ...shown.map((agent): ShownLine => ({ tone: "dim", text: agentLine(agent, width, now) })),
    ...(isCut ? [{ tone: "dim", text: fit(`  +${rest} more`, width) } as const] : []),
  ];
}

/** `2 of 5 stories · 4 agents · $0.42 of $5.00 · 12m03s` */
function headOf({ stories, agents, costUsd, estimatedUsd, capUsd, startedAt }: LiveView, now: number): string {
  const cap = capUsd === null ? "" : ` of $${capUsd.toFixed(2)}`;
  return [
    ...(stories.of === 0 ? [] : [`${stories.done} of ${counted(stories.of, "story", "stories")}`]),
    counted(agents.length, "agent"),
    ...(costUsd === 0 ? [] : [`${money({ costUsd, estimatedUsd })}${cap}`]),
    durationText(now - startedAt),
  ].join(" · ");
}

/** Exactly `width` cells, or less. */
export function agentLine(agent: LiveAgent, width: number, now: number): string {
  const time = durationText(now - agent.startedAt).padStart(6);
  const used = width < 50 ? "" : usedText(agent);
  const right = `${used}${time}`;
  const whose = Math.min(Math.max(8, Math.floor(width / 4)), 28, Math.max(0, width - time.length - 3));
  const doing = width - whose - cellsOf(right) - 4;
  const name = plainText(whoseText(agent));
  const words = plainText(agent.activity.doing).replace(/\s+/g, " ");
  if (doing < 4) return fit(`  ${column(name, whose)} ${time}`, width);
  return `  ${column(name, whose)} ${column(words || "starts", doing)} ${right}`;
}

/** Two columns: tokens and money, `≥` where the beginning of the log was not read. */
function usedText({ activity: { usage }, isPartial }: LiveAgent): string {
  if (usage === null) return " ".repeat(17);
  const least = isPartial ? "≥" : "";
  const count = usage.inputTokens + usage.cacheReadTokens + usage.outputTokens;
  const cost = usage.costUsd === null ? "" : least + money({ costUsd: usage.costUsd, estimatedUsd: null });
  return `${(least + tokensText(count)).padStart(7)} ${cost.padStart(8)} `;
}

function whoseText({ story, step, number }: Pick<LiveAgent, "story" | "step" | "number">): string {
  return `${story === null ? "" : `${story} `}${step}${number > 1 ? `#${number}` : ""}`;
}
