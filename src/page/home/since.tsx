// "Since you were here": what was done, failed or asked while no page of this browser was open and visible.

import { useSignal } from "@preact/signals";
import { pathTo } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { Sign } from "../parts/sign.tsx";
import { visibleLine } from "../parts/visible-text.ts";
import { home as texts } from "../texts/home.ts";
import { type DigestPage, markAsSeen, stay } from "./presence.ts";
import { type News, newsIn } from "./stay.ts";

const mostRuns = 1_000;
const mostLines = 8;

export function Since() {
  const isAll = useSignal(false);
  const { from, to } = stay.value ?? { from: 0, to: 0 };
  const page = useDocument<DigestPage>(from === to ? null : `/events?after=${from}&limit=${mostRuns}`).value.document;
  const news = from === to ? [] : newsIn(page?.events ?? [], to);
  if (news.length === 0) return null;
  const count = (kind: News["kind"]) => news.filter((each) => each.kind === kind).length;
  const shown = isAll.value ? news : news.slice(0, mostLines);
  return (
    <section aria-labelledby="since" class="since">
      <div class="section-line">
        <h2 id="since">{texts.since}</h2>
        <span class="dim">{texts.sinceCounts(count("done"), count("failed"), count("asked"))}</span>
        <button type="button" class="quiet" onClick={markAsSeen}>
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
