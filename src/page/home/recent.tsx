// All runs, the newest first, with search and a filter that are part of the address.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { RunPage } from "../../contracts/http-documents.ts";
import type { RunDocument } from "../../contracts/run-documents.ts";
import { address, setQuery } from "../address.ts";
import { get } from "../api/calls.ts";
import { useDocument } from "../api/loaded.ts";
import { Empty, Loading, Problem } from "../parts/notice.tsx";
import { statusWords } from "../texts/common.ts";
import { home as texts } from "../texts/home.ts";
import { RunTable } from "./run-table.tsx";
import { SavedFilters } from "./saved-filters.tsx";

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
        {runs.length > 1 ? <a href="/compare">{texts.compare}</a> : null}
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
      <SavedFilters />
      {problem === null ? null : <Problem problem={problem} />}
      {first === null ? (
        <Loading />
      ) : runs.length === 0 ? (
        <NoRuns isFiltered={filter.includes("&")} />
      ) : (
        <RunTable runs={runs} />
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

/** A run that came meanwhile moves the others to the next page. */
function distinct(runs: readonly RunDocument[]): readonly RunDocument[] {
  return [...new Map(runs.map((run) => [run.id, run])).values()];
}
