// The stories of a run as a table; a story opens to its criteria and what was said about them.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Run } from "../../../domain/run.ts";
import { address, pathTo, setQuery } from "../../address.ts";
import { Empty } from "../../parts/notice.tsx";
import { Status } from "../../parts/sign.tsx";
import { spanText } from "../../parts/time-text.ts";
import { Visible } from "../../parts/visible.tsx";
import { visibleLine } from "../../parts/visible-text.ts";
import { storyTexts as texts } from "../../texts/stories.ts";
import type { ViewOfRun } from "../watched-run.ts";
import { type StoryRow, storyRows } from "./story-rows.ts";

/** A thousand rows at once would make every change slow. */
const part = 100;

export function StoriesView({ watched }: ViewOfRun) {
  const most = useSignal(part);
  const run = watched.run.value as Run;
  const place = watched.place.value;
  const rows = useMemo(() => storyRows(run, watched.events.slice(0, place), watched.time.value), [run, place]);
  const chosen = address.value.query.get("story");
  if (rows.length === 0) return <Empty>{texts.none}</Empty>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.label}>
      <table class="list stories stacks">
        <thead>
          <tr>
            <th>{columns.story}</th>
            <th>{columns.title}</th>
            <th>{columns.status}</th>
            <th>{columns.at}</th>
            <th>{columns.waitsFor}</th>
            <th class="end">{columns.attempts}</th>
            <th class="end">{columns.time}</th>
            <th class="end">{columns.cost}</th>
          </tr>
        </thead>
        {rows.slice(0, most.value).map((row) => (
          <Story key={row.entry.id} row={row} isOpen={chosen === row.entry.id} />
        ))}
      </table>
      {rows.length > most.value ? (
        <button
          type="button"
          class="stories-more"
          onClick={() => {
            most.value += part;
          }}
        >
          {texts.more(Math.min(part, rows.length - most.value), rows.length)}
        </button>
      ) : null}
    </div>
  );
}

const { columns } = texts;

function Story({ row, isOpen }: { readonly row: StoryRow; readonly isOpen: boolean }) {
  const { entry } = row;
  return (
    <tbody>
      <tr data-row class={isOpen ? "story-open" : ""}>
        <td>
          <button
            type="button"
            class="quiet story-name"
            aria-expanded={isOpen}
            onClick={() => setQuery({ story: isOpen ? null : entry.id })}
          >
            {entry.id}
          </button>
        </td>
        <td class="story-title">{visibleLine(entry.title)}</td>
        <td>
          <Status of={entry.status} />
        </td>
        <td class="story-at" data-label={columns.at}>
          {row.at}
        </td>
        <td class="dim" data-label={columns.waitsFor}>
          {row.waitsFor.map(({ id, title }) => `${id} ${visibleLine(title)}`).join(", ")}
        </td>
        <td class="number end" data-label={columns.attempts}>
          {row.attempts === 0 ? "" : row.attempts}
          {row.rejections === 0 ? null : <span class="rejected small"> {texts.rejected(row.rejections)}</span>}
        </td>
        <td class="number end" data-label={columns.time}>
          {row.attempts === 0 ? "" : spanText(row.ms)}
        </td>
        <td class="number end" data-label={columns.cost}>
          {row.attempts === 0 ? "" : row.cost}
        </td>
      </tr>
      {isOpen ? (
        <tr class="story-open">
          <td />
          <td colSpan={7}>
            <Details row={row} />
          </td>
        </tr>
      ) : null}
    </tbody>
  );
}

function Details({ row: { entry, spec, evidence, outputs, tries, reason } }: { readonly row: StoryRow }) {
  const criteria = spec?.acceptanceCriteria ?? [];
  return (
    <div class="story-details">
      {reason === "" || entry.status === "done" ? null : <p class={entry.status}>{visibleLine(reason)}</p>}
      {spec === null || spec.description === "" ? null : (
        <p class="story-text">
          <Visible text={spec.description} keepsLines />
        </p>
      )}
      {criteria.length === 0 ? null : (
        <div>
          <h3>{texts.criteria}</h3>
          <ul class="story-criteria">
            {criteria.map((criterion) => (
              <li key={criterion}>
                <Visible text={criterion} keepsLines />
              </li>
            ))}
          </ul>
        </div>
      )}
      {tries.length === 0 ? null : (
        <div>
          <h3>{texts.tries}</h3>
          <ul>
            {tries.map(({ attempt, step, number, end }) => (
              <li key={attempt} class="story-text">
                <a href={pathTo(["attempts", attempt])}>{texts.attempt(step, number)}</a> {visibleLine(end)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div>
        <h3>{texts.evidence}</h3>
        {evidence.length + outputs.length === 0 ? <p class="dim">{texts.noEvidence}</p> : null}
        {outputs.map(({ key, value }) => (
          <p key={key} class="story-text">
            <code>{visibleLine(key)}</code> <Visible text={value} keepsLines />
          </p>
        ))}
        {evidence.map(({ step, said, attempt }) => (
          <p key={step} class="story-text">
            <a href={pathTo(["attempts", attempt])}>{step}</a> <Visible text={said} keepsLines />
          </p>
        ))}
      </div>
    </div>
  );
}
