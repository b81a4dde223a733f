// The lanes of a run: what was worked on when, what waited, and what the end waited for. Only the lanes in sight are drawn.

import { useMemo } from "preact/hooks";
import type { Run } from "../../../domain/run.ts";
import { pathTo } from "../../address.ts";
import { Sign } from "../../parts/sign.tsx";
import { spanText } from "../../parts/time-text.ts";
import { visibleLine } from "../../parts/visible-text.ts";
import { WindowList } from "../../parts/window-list.tsx";
import { laneTexts as texts } from "../../texts/lanes.ts";
import type { ViewOfRun } from "../watched-run.ts";
import { type Bar, type Lane, type Lanes, lanesOf, plannedTimes, ticksOf, waitOf } from "./lanes.ts";

const rowHeight = 30;
/** In percent: words beyond would be cut at the edge. */
const lastTickText = 93;

export function LanesView({ watched }: ViewOfRun) {
  const place = watched.place.value;
  const planned = useMemo(() => plannedTimes(watched.events.slice(0, place)), [place]);
  const lanes = lanesOf(watched.run.value as Run, watched.time.value, planned);
  const x = (time: number) => ((time - lanes.start) / (lanes.end - lanes.start)) * 100;
  return (
    <section class="lanes" aria-label={texts.label}>
      <p class="lane-legend dim small">
        {(["running", "passed", "rejected", "failed", "integrating"] as const).map((kind) => (
          <span key={kind}>
            <i class={`bar ${kind}`} />
            {texts.kinds[kind]}
          </span>
        ))}
        <span>
          <i class="lane-wait" />
          {texts.waiting}
        </span>
      </p>
      <Axis lanes={lanes} x={x} />
      <WindowList
        count={lanes.lanes.length}
        rowHeight={rowHeight}
        label={texts.label}
        follows={false}
        toEnd=""
        row={(i) => {
          const lane = lanes.lanes[i];
          return lane === undefined ? null : <LaneRow key={lane.story ?? ""} lane={lane} x={x} now={lanes.end} />;
        }}
      />
    </section>
  );
}

function Axis({ lanes, x }: { readonly lanes: Lanes; readonly x: (time: number) => number }) {
  return (
    <div class="lane lane-axis" aria-hidden="true">
      <span />
      <svg>
        {ticksOf(lanes).map((tick, i) => (
          <g key={tick}>
            <line
              class="lane-tick"
              x1={percent(x(lanes.start + tick))}
              x2={percent(x(lanes.start + tick))}
              y1="0"
              y2="18"
            />
            {i === 0 || x(lanes.start + tick) > lastTickText ? null : (
              <text class="lane-time" x={percent(x(lanes.start + tick))} dx="4" y="13">
                {tickText(tick)}
              </text>
            )}
          </g>
        ))}
      </svg>
    </div>
  );
}

function LaneRow({
  lane,
  x,
  now,
}: {
  readonly lane: Lane;
  readonly x: (time: number) => number;
  readonly now: number;
}) {
  const wait = waitOf(lane, now);
  return (
    <div class={`lane ${lane.isCritical ? "critical" : ""}`} data-row>
      <span class="lane-name one-line" title={visibleLine(lane.title)}>
        {lane.status === null ? null : (
          <span class={lane.status}>
            <Sign of={lane.status} />
          </span>
        )}
        <strong>{lane.story ?? texts.own}</strong> <span class="dim">{visibleLine(lane.title)}</span>
        {lane.isCritical ? <span class="heard-only"> {texts.critical}</span> : null}
      </span>
      <div class="lane-bars" role="group" aria-label={summaryOf(lane)}>
        {wait === null ? null : <i class="lane-wait" style={placeOf(x(wait.from), x(wait.to))} />}
        {lane.bars.map((bar) => (
          <BarLink key={bar.attempt} bar={bar} x={x} />
        ))}
      </div>
    </div>
  );
}

function BarLink({ bar, x }: { readonly bar: Bar; readonly x: (time: number) => number }) {
  const from = x(bar.from);
  return (
    <a
      class={`bar ${bar.kind}`}
      href={pathTo(["attempts", bar.attempt])}
      tabIndex={-1}
      title={texts.bar(bar.step, bar.number, texts.kinds[bar.kind], spanText(bar.to - bar.from), bar.executor)}
      style={placeOf(from, Math.max(from + 0.3, x(bar.to)))}
    />
  );
}

/** Of the width, in percent: the picture fits any without being stretched. */
function placeOf(from: number, to: number): { readonly left: string; readonly width: string } {
  return { left: percent(from), width: percent(to - from) };
}

/** Exact, unlike a span: `1 min 30 s`. */
function tickText(ms: number): string {
  const seconds = Math.round(ms / 1_000) % 60;
  if (ms < 60_000 || seconds === 0) return spanText(ms);
  return `${Math.floor(ms / 60_000)} min ${seconds} s`;
}

function percent(value: number): string {
  return `${value.toFixed(3)}%`;
}

function summaryOf({ story, bars }: Lane): string {
  const worked = bars.reduce((sum, { from, to }) => sum + to - from, 0);
  return texts.summary(story ?? texts.own, bars.length, spanText(worked));
}
