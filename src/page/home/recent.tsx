// All runs, the newest first, with search and a filter that are part of the address.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { RunPage } from "../../contracts/http-documents.ts";
import type { RunDocument } from "../../contracts/run-documents.ts";
import { money } from "../../transcript/money.ts";
import { address, pathTo, setQuery } from "../address.ts";
import { get } from "../api/calls.ts";
import { useDocument } from "../api/loaded.ts";
import { Empty, Loading, Problem } from "../parts/notice.tsx";
import { now } from "../parts/now.ts";
import { Status } from "../parts/sign.tsx";
import { agoText } from "../parts/time-text.ts";
import { statusWords } from "../texts/common.ts";
import { home as texts } from "../texts/home.ts";

const statuses = ["running", "held", "paused", "done", "failed", "cancelled"] as const;
const pageSize = 50;

export function Recent() {
  const { query } = address.value;
  const [words, status] = [query.get("q") ?? "", query.get("status") ?? ""];
  const filter = new URLSearchParams({
    limit: String(pageSize),
    ...(words === "" ? {} : { q: words }),
    ...(status === "" ? {} : { status }),
  }).toString();
  const { document: first, problem } = useDocument<RunPage>(`/runs?${filter}`).value;
  const more = useSignal<readonly RunDocument[]>([]);
  const cursor = useSignal<string | null | undefined>(undefined);
  useEffect(() => {
    more.value = [];
    cursor.value = undefined;
  }, [filter]);
  const next = cursor.value === undefined ? (first?.next ?? null) : cursor.value;
  const showMore = async () => {
    const page = await get<RunPage>(`/runs?${filter}&cursor=${encodeURIComponent(next ?? "")}`);
    more.value = [...more.value, ...page.runs];
    cursor.value = page.next;
  };
  const runs = distinct([...(first?.runs ?? []), ...more.value]);
  return (
    <section aria-labelledby="recent">
      <div class="section-line">
        <h2 id="recent">{texts.recent}</h2>
        <input
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          value={words}
          onInput={(event) => setQuery({ q: event.currentTarget.value })}
        />
        <select
          aria-label={texts.status}
          value={status}
          onChange={(event) => setQuery({ status: event.currentTarget.value })}
        >
          <option value="">{texts.any}</option>
          {statuses.map((each) => (
            <option key={each} value={each}>
              {statusWords[each]}
            </option>
          ))}
        </select>
      </div>
      {problem === null ? null : <Problem problem={problem} />}
      {first === null ? (
        <Loading />
      ) : runs.length === 0 ? (
        <NoRuns isFiltered={filter.includes("&")} />
      ) : (
        <Table runs={runs} />
      )}
      {next === null ? null : (
        <p>
          <button type="button" onClick={() => void showMore()}>
            {texts.more}
          </button>
        </p>
      )}
    </section>
  );
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty>{texts.nothingFound}</Empty>;
  return (
    <Empty>
      <p>{texts.noRuns}</p>
      <pre>{texts.noRunsCommand}</pre>
    </Empty>
  );
}

function Table({ runs }: { readonly runs: readonly RunDocument[] }) {
  const { columns } = texts;
  return (
    <table class="list runs">
      <thead>
        <tr>
          <th>{columns.run}</th>
          <th>{columns.task}</th>
          <th>{columns.workflow}</th>
          <th>{columns.status}</th>
          <th class="end">{columns.cost}</th>
          <th class="end">{columns.age}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id} data-row>
            <td class="number dim">{texts.run(run.number)}</td>
            <td class="task">
              <a class="plain-link one-line" href={pathTo(["runs", run.number])}>
                {run.task}
              </a>
            </td>
            <td class="dim one-line">{run.workflow}</td>
            <td>
              <Status of={run.status} />
            </td>
            <td class="number end">{money(run.usage)}</td>
            <td class="number end dim">{agoText(Date.parse(run.startedAt), now.value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A run that came meanwhile moves the others to the next page. */
function distinct(runs: readonly RunDocument[]): readonly RunDocument[] {
  return [...new Map(runs.map((run) => [run.id, run])).values()];
}
