// The log of an attempt, live. Owns: its tools (search, first error, as printed), its rows, and what it says where there is nothing.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { address, setQuery } from "../../address.ts";
import { useKeys } from "../../keys.tsx";
import { Empty, Loading, Problem, withCode } from "../../parts/notice.tsx";
import { WindowList } from "../../parts/window-list.tsx";
import { logTexts as texts } from "../../texts/attempt.ts";
import { emptyLogText, type LogRow } from "./log-line.ts";
import { LogReader } from "./log-reader.ts";
import { rawSource, transcriptSource } from "./log-source.ts";
import { marked } from "./marked.ts";

const rowHeight = 20;
const firstWidth = 100;
/** Characters whose width tells that of one. */
const measured = 20;

export function LogView({ id }: { readonly id: string }) {
  const { query } = address.value;
  const isRaw = query.get("raw") === "1";
  const reader = useMemo(() => new LogReader(isRaw ? rawSource(id) : transcriptSource(id), firstWidth), [id, isRaw]);
  useLayoutEffect(() => () => reader.close(), [reader]);
  return <Log key={isRaw} reader={reader} isRaw={isRaw} words={query.get("q") ?? ""} />;
}

interface LogProps {
  readonly reader: LogReader;
  readonly isRaw: boolean;
  readonly words: string;
}

function Log({ reader, isRaw, words }: LogProps) {
  const frame = useWidth(reader);
  const latest = reader.latest.value;
  const problem = reader.problem.value;
  return (
    <section class="log" aria-label={isRaw ? texts.rawLabel : texts.label} ref={frame}>
      <span class="log-measure" aria-hidden="true">
        {"0".repeat(measured)}
      </span>
      {problem === null ? null : <Problem problem={problem} />}
      {latest === null && problem === null ? <Loading /> : null}
      {latest === null ? null : latest.size === 0 ? (
        <Empty>{withCode(emptyLogText(latest))}</Empty>
      ) : (
        <Lines reader={reader} isRaw={isRaw} words={words} />
      )}
    </section>
  );
}

function Lines({ reader, isRaw, words }: LogProps) {
  const version = reader.version.value;
  const { kept } = reader;
  const found = useMemo(() => kept.find(words), [kept, version, words]);
  const target = useSignal<{ readonly row: number; readonly asked: number } | null>(null);
  const said = useSignal("");
  const show = (row: number | undefined) => {
    if (row !== undefined) target.value = { row, asked: (target.value?.asked ?? 0) + 1 };
  };
  const at = found.findIndex((row) => row === target.value?.row);
  const step = (by: number) => {
    if (found.length === 0) return;
    // The first match is the last one: whoever looks at a log looks at its end.
    show(found.at(at === -1 ? -1 : (at + by) % found.length));
  };
  const toError = () => {
    const row = kept.firstError();
    said.value = row === null ? texts.noError : "";
    show(row ?? undefined);
  };
  useKeys([
    { key: "n", name: texts.nextMatch, act: () => step(1) },
    { key: "p", name: texts.previousMatch, act: () => step(-1) },
    { key: "e", name: texts.firstError, act: toError },
  ]);
  return (
    <>
      <div class="log-tools">
        <form
          class="log-search"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            step(1);
          }}
        >
          <input
            type="search"
            aria-label={texts.search}
            placeholder={texts.search}
            value={words}
            onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !event.shiftKey) return;
              event.preventDefault();
              step(-1);
            }}
          />
          <button type="button" disabled={found.length === 0} onClick={() => step(-1)} aria-label={texts.previousMatch}>
            ↑
          </button>
          <button type="submit" disabled={found.length === 0} aria-label={texts.nextMatch}>
            ↓
          </button>
        </form>
        <span class="dim number log-matches" role="status">
          {said.value !== "" ? said.value : words === "" ? "" : texts.matches(at + 1, found.length)}
        </span>
        <button type="button" onClick={toError}>
          {texts.firstError}
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={isRaw}
            onChange={({ currentTarget }) => setQuery({ raw: currentTarget.checked ? "1" : null })}
          />
          {texts.raw}
        </label>
      </div>
      <Earlier reader={reader} />
      <WindowList
        key={reader.generation.value}
        count={kept.count}
        rowHeight={rowHeight}
        label={isRaw ? texts.rawLabel : texts.label}
        follows
        toEnd={texts.toEnd}
        origin={kept.origin}
        shows={target.value === null ? null : target.value.row - kept.origin}
        asked={target.value?.asked ?? 0}
        onFollow={(isAtEnd) => {
          reader.isFollowed = isAtEnd;
        }}
        row={(index) => {
          const row = kept.row(index);
          if (row === undefined) return null;
          const number = kept.origin + index;
          return <Row key={number} row={row} words={words} isTarget={number === target.value?.row} />;
        }}
      />
      <Behind reader={reader} />
    </>
  );
}

interface RowProps {
  readonly row: LogRow;
  readonly words: string;
  readonly isTarget: boolean;
}

function Row({ row: { line, text, spans, isMore }, words, isTarget }: RowProps) {
  const kind = isMore ? "more" : line.kind;
  return (
    <div class={`log-row log-${kind} tone-${line.tone}${isTarget ? " current" : ""}`}>
      {spans === undefined
        ? withMarks(text, words)
        : spans.map((span, i) => (
            <span key={i} class={span.style}>
              {withMarks(span.text, words)}
            </span>
          ))}
    </div>
  );
}

function withMarks(text: string, words: string): ComponentChildren {
  if (words === "") return text;
  return marked(text, words).map(({ text: piece, isFound }, i) => (isFound ? <mark key={i}>{piece}</mark> : piece));
}

/** What is before the first row. */
function Earlier({ reader }: { readonly reader: LogReader }) {
  const { from, count } = reader.kept;
  if (from === 0) return null;
  return (
    <p class="log-around dim small">
      {texts.earlier(sizeText(from))}{" "}
      {reader.mayLoadEarlier ? (
        <button type="button" disabled={reader.isLoadingEarlier.value} onClick={() => void reader.loadEarlier()}>
          {texts.loadEarlier}
        </button>
      ) : (
        withCode(texts.kept(count.toLocaleString("en")))
      )}
    </p>
  );
}

/** What becomes of the lines that come. */
function Behind({ reader }: { readonly reader: LogReader }) {
  const isOpen = reader.latest.value?.ended === false;
  return (
    <p class="log-around dim small" role="status">
      {isOpen ? (reader.isHeld.value ? texts.held : texts.running) : ""}
    </p>
  );
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/** Rows are as wide as the list: in characters. */
function useWidth(reader: LogReader) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = frame.current as HTMLElement;
    const measure = element.querySelector(".log-measure") as HTMLElement;
    const look = () => {
      const one = measure.getBoundingClientRect().width / measured;
      const room = element.clientWidth - 48;
      if (one > 0 && room > 0) reader.setWidth(Math.max(30, Math.floor(room / one)));
    };
    look();
    const watching = new ResizeObserver(look);
    watching.observe(element);
    return () => watching.disconnect();
  }, [reader]);
  return frame;
}
