// What the run changed: since its base, or by one story. It is that of now, also where the page shows the past.

import { useMemo } from "preact/hooks";
import type { DiffDocument } from "../../../contracts/diff-document.ts";
import type { Run } from "../../../domain/run.ts";
import { address, setQuery } from "../../address.ts";
import { useDocument } from "../../api/loaded.ts";
import { DiffView } from "../../diff/diff-view.tsx";
import { fileChangesOf } from "../../diff/file-change.ts";
import { Empty, Loading, Problem } from "../../parts/notice.tsx";
import { visibleLine } from "../../parts/visible-text.ts";
import { changesTexts as texts } from "../../texts/run.ts";
import type { ViewOfRun } from "../watched-run.ts";

/** A longer list is no choice: the view of stories leads to one. */
const mostOptions = 200;

export function ChangesOfRun({ watched }: ViewOfRun) {
  const { header } = watched.run.value as Run;
  const story = address.value.query.get("story") ?? "";
  const query = story === "" ? "" : `?story=${encodeURIComponent(story)}`;
  const hasFiles = header.place.repo !== null;
  // The work of a run grows without an event: it is read again with every change.
  const { document: diff, problem } = useDocument<DiffDocument>(
    hasFiles ? `/runs/${watched.number}/diff${query}` : null,
  ).value;
  const files = useMemo(() => (diff === null ? [] : fileChangesOf(diff)), [diff]);
  return (
    <section class="run-changes" aria-label={texts.label}>
      {header.stories.length === 0 || header.stories.length > mostOptions ? null : (
        <div class="section-line">
          <select
            aria-label={texts.of}
            value={story}
            onChange={({ currentTarget }) => setQuery({ story: currentTarget.value })}
          >
            <option value="">{texts.wholeRun}</option>
            {header.stories.map(({ id, title }) => (
              <option key={id} value={id}>
                {id} {visibleLine(title)}
              </option>
            ))}
          </select>
        </div>
      )}
      {watched.past.value === null ? null : <p class="notice">{texts.ofNow}</p>}
      {problem === null ? null : <Problem problem={problem} />}
      {hasFiles ? null : <Empty>{texts.noRepository}</Empty>}
      {hasFiles && diff === null && problem === null ? <Loading /> : null}
      {diff !== null && files.length === 0 ? <Empty>{texts.none}</Empty> : null}
      {diff !== null && files.length > 0 ? <DiffView files={files} total={diff.total} review={null} /> : null}
    </section>
  );
}
