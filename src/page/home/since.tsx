// "Since you were here": what was done, failed or asked while nobody looked. Owns: keeping in this browser how far it was seen.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { RunDigest } from "../../contracts/stream-documents.ts";
import { pathTo } from "../address.ts";
import { CallProblem, get } from "../api/calls.ts";
import { useDocument } from "../api/loaded.ts";
import { Sign } from "../parts/sign.tsx";
import { visibleLine } from "../parts/visible-text.ts";
import { home as texts } from "../texts/home.ts";
import { arrived, lookedAt, type News, newsIn, type Stay, stayIn, takenNote } from "./stay.ts";

interface DigestPage {
  readonly events: readonly RunDigest[];
  readonly next: number;
}

const key = "pawl.stay";
/** A page that was visible for this long has been seen. */
const lookMs = 4_000;
const mostRuns = 1_000;
const mostLines = 8;

export function Since() {
  const stay = useSignal<Stay | null>(null);
  const isAll = useSignal(false);
  useEffect(() => {
    const closing = new AbortController();
    const arrive = async () => {
      if (document.visibilityState !== "visible") return;
      const kept = stayIn(localStorage.getItem(key));
      const last = await lastPlace(kept?.seen ?? 0, closing.signal);
      if (last !== null) stay.value = arrived(kept, last, Date.now());
    };
    const look = () => void arrive();
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      closing.abort();
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  const from = stay.value?.from ?? null;
  const page = useDocument<DigestPage>(from === null ? null : `/events?after=${from}&limit=${mostRuns}`).value.document;
  const place = page?.next ?? null;
  const keep = (next: Stay) => {
    localStorage.setItem(key, JSON.stringify(next));
    stay.value = next;
  };
  useEffect(() => {
    if (place === null) return undefined;
    const timer = setInterval(() => {
      if (stay.value !== null && document.visibilityState === "visible") keep(lookedAt(stay.value, place, Date.now()));
    }, lookMs);
    return () => clearInterval(timer);
  }, [place]);
  const news = newsIn(page?.events ?? []);
  if (page === null || news.length === 0 || stay.value === null) return null;
  const current = stay.value;
  const count = (kind: News["kind"]) => news.filter((each) => each.kind === kind).length;
  const shown = isAll.value ? news : news.slice(0, mostLines);
  return (
    <section aria-labelledby="since" class="since">
      <div class="section-line">
        <h2 id="since">{texts.since}</h2>
        <span class="dim">{texts.sinceCounts(count("done"), count("failed"), count("asked"))}</span>
        <button type="button" class="quiet" onClick={() => keep(takenNote(current, page.next, Date.now()))}>
          {texts.sinceSeen}
        </button>
      </div>
      <ul class="since-lines">
        {shown.map((each) => (
          <Line key={each.run.run} news={each} />
        ))}
      </ul>
      {shown.length === news.length ? null : (
        <p>
          <button type="button" class="quiet" onClick={() => (isAll.value = true)}>
            {texts.sinceMore(news.length - shown.length)}
          </button>
        </p>
      )}
    </section>
  );
}

function Line({ news: { kind, run } }: { readonly news: News }) {
  const status = kind === "asked" ? "held" : kind;
  return (
    <li data-row>
      <a class="since-line plain-link" href={pathTo(["runs", run.number])}>
        <span class={status}>
          <Sign of={status} />
        </span>
        <span class="number dim">{texts.run(run.number)}</span>
        <span class="one-line">{visibleLine(run.task)}</span>
        <span class="one-line dim">{run.why}</span>
      </a>
    </li>
  );
}

/** `seen`: a place that was the last one once. A store where it is not is another one. Null: the service did not say. */
async function lastPlace(seen: number, signal: AbortSignal): Promise<number | null> {
  const read = async (after: number) =>
    (await get<DigestPage>(`/events?after=${after}&limit=${mostRuns}`, signal)).next;
  try {
    const before = Math.max(0, seen - 1);
    let place = (await read(before)) === before ? 0 : before;
    for (let next = await read(place); next !== place; next = await read(place)) place = next;
    return place;
  } catch (error) {
    if (signal.aborted || error instanceof CallProblem) return null;
    throw error;
  }
}
