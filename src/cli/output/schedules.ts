// Schedules for people: their next time here and in their zone, and what became of the last one.

import type { ScheduleDocument, TickDocument } from "../../contracts/schedule-documents.ts";
import { counted } from "../../domain/counted.ts";
import { localTime } from "../../system/local-time.ts";
import { table } from "./table.ts";

export function schedulesTable(schedules: readonly ScheduleDocument[], now: number): string {
  const head = ["id", "state", "next", "last", "repository"];
  const rows = schedules.map((each) => [each.id, each.state, nextText(each, now), lastText(each.last, now), each.repo]);
  const notes = schedules.flatMap(reasonsOf);
  return [table([head, ...rows]), ...notes].join("\n");
}

/** `2026-11-19 02:00 (03:00 Europe/Berlin)` */
export function nextText({ next, zone }: ScheduleDocument, now: number): string {
  if (next === null) return "–";
  const at = Date.parse(next);
  const here = localTime(at, now);
  return `${here} (${timeIn(zone, at)} ${zone})`;
}

function timeIn(zone: string, at: number): string {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" }).format(at);
  } catch {
    return "?";
  }
}

function lastText(last: TickDocument | null, now: number): string {
  if (last === null) return "–";
  const what = last.run === null ? last.outcome : `run #${last.run.number}`;
  return `${what} at ${localTime(Date.parse(last.tick), now)}`;
}

/** Why a schedule is as it is, one line each. */
function reasonsOf({ id, why, last, missed }: ScheduleDocument): readonly string[] {
  const lines: string[] = [];
  if (why !== "") lines.push(`${id}: ${why}`);
  if (last === null) return lines;
  if (last.why !== "") lines.push(`${id}: ${last.outcome}: ${last.why}`);
  if (last.missed > 0) {
    const number = last.missed >= 100 ? "100 or more times" : counted(last.missed, "time");
    const policy = missed === "once" ? "one run stands for all of them" : "no run was started for them";
    lines.push(`${id}: ${number} before that ${last.missed === 1 ? "was" : "were"} missed; ${policy}`);
  }
  return lines;
}
