// The time bar: every moment of the run, with marks where something happened that people look for. The moment is part of the address.

import type { Event } from "../../domain/event.ts";
import { clockText } from "../parts/time-text.ts";
import { timeTexts as texts } from "../texts/run.ts";
import type { ViewOfRun } from "./watched-run.ts";

type Mark = "asked" | "back" | "failed" | "done";

const height = 10;
/** A picture has so many columns; several marks in one are drawn once. */
const columns = 600;

export function TimeBar({ watched }: ViewOfRun) {
  const [place, length] = [watched.place.value, watched.length.value];
  const event = watched.events[place - 1];
  const label = event === undefined ? "" : `${texts.place(place, length)}, ${clockText(event.at)}`;
  return (
    <div class="time-bar">
      <button type="button" aria-label={texts.back} disabled={place <= 1} onClick={() => watched.seek(place - 1)}>
        <Arrow d="M10 3.5L5.5 8l4.5 4.5" />
      </button>
      <div class="track">
        <svg viewBox={`0 0 ${columns} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {marksOf(watched.events, length).map(({ column, mark }) => (
            <rect key={`${column}${mark}`} class={`mark-${mark}`} x={column} y={0} width={2} height={height} />
          ))}
        </svg>
        <input
          type="range"
          min={1}
          max={Math.max(1, length)}
          value={place}
          aria-label={texts.label}
          aria-valuetext={label}
          onInput={({ currentTarget }) => watched.seek(Number(currentTarget.value))}
        />
      </div>
      <button
        type="button"
        aria-label={texts.forward}
        disabled={place >= length}
        onClick={() => watched.seek(place + 1)}
      >
        <Arrow d="M6 3.5L10.5 8 6 12.5" />
      </button>
      <button type="button" disabled={place >= length} onClick={() => watched.seek(length)}>
        {texts.now}
      </button>
      <span class="dim small number place">{label}</span>
    </div>
  );
}

function Arrow({ d }: { readonly d: string }) {
  return (
    <svg class="sign" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}

function marksOf(
  events: readonly Event[],
  length: number,
): readonly { readonly column: number; readonly mark: Mark }[] {
  const found = new Map<string, { readonly column: number; readonly mark: Mark }>();
  for (const [i, event] of events.entries()) {
    const mark = markOf(event);
    if (mark === null) continue;
    const column = Math.round((i / Math.max(1, length - 1)) * (columns - 2));
    found.set(`${column}${mark}`, { column, mark });
  }
  return [...found.values()];
}

function markOf(event: Event): Mark | null {
  if (event.type === "gate_opened") return "asked";
  if (event.type === "steps_reset") return "back";
  if (event.type === "step_failed") return "failed";
  const isEnd = event.type === "run_ended" || event.type === "story_changed";
  if (!isEnd || (event.status !== "done" && event.status !== "failed")) return null;
  return event.status;
}
