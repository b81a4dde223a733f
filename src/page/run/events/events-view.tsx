// The events of a run, as lines for people, with a filter that is part of the address. A click on one shows the run at that moment.

import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Event } from "../../../domain/event.ts";
import { lineOf, rememberNames } from "../../../transcript/event-line.ts";
import { address, setQuery } from "../../address.ts";
import { Empty } from "../../parts/notice.tsx";
import { clockText } from "../../parts/time-text.ts";
import { Visible } from "../../parts/visible.tsx";
import { visibleLine } from "../../parts/visible-text.ts";
import { WindowList } from "../../parts/window-list.tsx";
import { eventTexts as texts } from "../../texts/run.ts";
import type { ViewOfRun } from "../watched-run.ts";

const rowHeight = 26;

export function EventsView({ watched }: ViewOfRun) {
  const { query } = address.value;
  const [words, isFailedOnly] = [(query.get("q") ?? "").toLowerCase(), query.get("failed") === "1"];
  const isJsonOpen = useSignal(false);
  const length = watched.length.value;
  const lines = useLines(watched);
  const shown = useMemo(() => {
    const known = lines(length);
    const all = Array.from({ length }, (_, i) => i);
    if (words === "" && !isFailedOnly) return all;
    return all.filter((i) => {
      const text = known[i] as EventText;
      return (!isFailedOnly || text.mark === "✗" || text.mark === "↺") && text.searched.includes(words);
    });
  }, [length, words, isFailedOnly]);
  const known = lines(length);
  const place = watched.place.value;
  const current = useComputed(() => watched.events[watched.place.value - 1]);
  return (
    <section class="events" aria-label={texts.label}>
      <div class="section-line">
        <span class="dim number">{texts.count(shown.length, length)}</span>
        <label class="check">
          <input
            type="checkbox"
            checked={isFailedOnly}
            onChange={({ currentTarget }) => setQuery({ failed: currentTarget.checked ? "1" : null })}
          />
          {texts.failedOnly}
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isJsonOpen.value}
            onChange={({ currentTarget }) => {
              isJsonOpen.value = currentTarget.checked;
            }}
          />
          {texts.json}
        </label>
        <input
          type="search"
          aria-label={texts.filter}
          placeholder={texts.filter}
          value={query.get("q") ?? ""}
          onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
        />
      </div>
      {shown.length === 0 ? <Empty>{texts.nothing}</Empty> : null}
      <WindowList
        count={shown.length}
        rowHeight={rowHeight}
        label={texts.label}
        follows={watched.past.value === null}
        toEnd={texts.toEnd}
        shows={watched.past.value === null ? null : shown.indexOf(place - 1)}
        row={(i) => {
          const index = shown[i] ?? 0;
          const event = watched.events[index];
          const text = known[index];
          if (event === undefined || text === undefined) return null;
          return (
            <button
              key={index}
              type="button"
              data-row
              class={`event ${index === place - 1 ? "current" : ""} ${toneOf(text.mark)}`}
              title={texts.goThere}
              onClick={() => watched.seek(index + 1)}
            >
              <span class="dim number">{clockText(event.at)}</span>
              <span class="event-mark">{text.mark}</span>
              <span class="one-line">{visibleLine(text.text)}</span>
            </button>
          );
        }}
      />
      {isJsonOpen.value && current.value !== undefined ? <Json event={current.value} /> : null}
    </section>
  );
}

interface EventText {
  readonly mark: string;
  readonly text: string;
  readonly searched: string;
}

/** Each event becomes a line once. */
function useLines(watched: ViewOfRun["watched"]): (length: number) => readonly EventText[] {
  return useMemo(() => {
    const known: EventText[] = [];
    const names = new Map<string, string>();
    return (length) => {
      for (const event of watched.events.slice(known.length, length)) {
        rememberNames(event, names);
        const line = lineOf(event, names);
        const text = line?.text ?? `${event.story === null ? "" : `${event.story} `}${event.type.replaceAll("_", " ")}`;
        known.push({ mark: line?.mark ?? "", text, searched: `${text} ${event.type}`.toLowerCase() });
      }
      return known;
    };
  }, [watched]);
}

function toneOf(mark: string): string {
  const tones: Readonly<Record<string, string>> = {
    "✗": "bad-line",
    "↺": "back-line",
    "?": "ask-line",
    "✓": "good-line",
    "": "minor",
  };
  return tones[mark] ?? "";
}

/** Without the definition: it is as long as a book, and has a page of its own. */
function Json({ event }: { readonly event: Event }) {
  const { definition: _, ...shown } = event as Event & { readonly definition?: unknown };
  return (
    <pre class="json card" tabIndex={0}>
      <Visible text={JSON.stringify(shown, null, 2)} keepsLines />
    </pre>
  );
}
