// The chain: where the run stands, every way back with how often it was taken, the steps to come, and how edits changed it.

import type { Event } from "../../../domain/event.ts";
import type { Run } from "../../../domain/run.ts";
import { address, pathTo } from "../../address.ts";
import { Status } from "../../parts/sign.tsx";
import { clockText, spanText } from "../../parts/time-text.ts";
import { visibleLine } from "../../parts/visible-text.ts";
import { chainTexts as texts } from "../../texts/run.ts";
import type { ViewOfRun } from "../watched-run.ts";
import { type ChainRow, chainRows } from "./chain-rows.ts";
import type { WayBack } from "./ways-back.ts";

const mostNames = 3;

export function ChainView({ watched }: ViewOfRun) {
  const run = watched.run.value as Run;
  const rows = chainRows(run, watched.time.value);
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={texts.label}>
        <table class="list chain stacks">
          <thead>
            <tr>
              <th>{columns.step}</th>
              <th>{columns.status}</th>
              <th>{columns.back}</th>
              <th class="end">{columns.attempts}</th>
              <th class="end">{columns.time}</th>
              <th class="end">{columns.cost}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.key} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      <Edits events={watched.events.slice(0, watched.place.value)} />
    </>
  );
}

const { columns } = texts;

function Row({ row }: { readonly row: ChainRow }) {
  const names = row.here.slice(0, mostNames).join(", ");
  const others = row.here.length - mostNames;
  const isFuture = row.status === "waiting";
  return (
    <tr class={`${row.inStories ? "in-story" : ""} ${row.isHere ? "here" : ""} ${isFuture ? "future" : ""}`} data-row>
      <td>
        <span class="step-name">
          {row.lastAttempt === null ? (
            row.name
          ) : (
            <a class="plain-link" href={pathTo(["attempts", row.lastAttempt])}>
              {row.name}
            </a>
          )}
        </span>
        {row.title === "" || row.title === row.name ? null : (
          <span class="dim step-title">{visibleLine(row.title)}</span>
        )}
        {row.stories === null ? null : (
          <span class="dim small step-title">
            {row.stories.all === 0 ? texts.noStories : texts.each(row.stories.done, row.stories.all)}
          </span>
        )}
      </td>
      <td>
        {row.gate === null ? (
          <Status of={row.status} />
        ) : (
          <a class="chain-gate" href={pathTo(["gates", row.gate], { at: address.value.query.get("at") ?? null })}>
            <Status of={row.status} />
          </a>
        )}
        {names === "" ? null : (
          <span class="dim small here-names">
            {texts.at(names)}
            {others > 0 ? ` ${texts.more(others)}` : ""}
          </span>
        )}
      </td>
      <td>
        {row.waysBack.map((way) => (
          <Way key={`${way.key}${way.to}`} way={way} />
        ))}
      </td>
      <td class="number end" data-label={columns.attempts}>
        {row.attempts === 0 ? null : row.attempts}
      </td>
      <td class="number end" data-label={columns.time}>
        {row.attempts === 0 ? null : spanText(row.ms)}
      </td>
      <td class="number end" data-label={columns.cost}>
        {row.attempts === 0 ? null : row.cost}
      </td>
    </tr>
  );
}

function Way({ way }: { readonly way: WayBack }) {
  const isUsedUp = way.limit !== null && way.taken >= way.limit;
  return (
    <span class={`way ${way.taken === 0 ? "unused" : isUsedUp ? "used-up" : "used"}`}>
      {texts.wayBack(way.key, way.to)} <strong>{texts.times(way.taken, way.limit)}</strong>
      {way.worst === null ? null : <span class="small"> {texts.worst(way.worst)}</span>}
    </span>
  );
}

function Edits({ events }: { readonly events: readonly Event[] }) {
  const edits = events.flatMap((event) => (event.type === "chain_edited" ? [event] : []));
  if (edits.length === 0) return null;
  return (
    <section class="edits">
      <h2>{texts.edits}</h2>
      {edits.map((edit, i) => (
        <details key={i} class="card">
          <summary>
            <span class="dim number">{clockText(edit.at)}</span> {edit.operation.op}: {edit.operation.reason}
          </summary>
          <div class="before-after">
            <ChainLines title={texts.before} lines={edit.before} others={edit.after} />
            <ChainLines title={texts.after} lines={edit.after} others={edit.before} />
          </div>
        </details>
      ))}
    </section>
  );
}

type Lines = Extract<Event, { type: "chain_edited" }>["before"];

function ChainLines({
  title,
  lines,
  others,
}: {
  readonly title: string;
  readonly lines: Lines;
  readonly others: Lines;
}) {
  const isNew = (id: string) => !others.some((other) => other.id === id);
  return (
    <div>
      <h3>{title}</h3>
      <ol>
        {lines.map(({ id, description }) => (
          <li key={id} class={isNew(id) ? "changed" : ""}>
            <code>{id}</code> <span class="dim">{description}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
