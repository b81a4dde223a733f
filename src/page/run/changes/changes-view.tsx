// What the run changed: since its base, or by one story. It is that of now, also where the page shows the past.

import type { Run } from "../../../domain/run.ts";
import { address, setQuery } from "../../address.ts";
import { ReadDiff } from "../../diff/read-diff.tsx";
import { Empty } from "../../parts/notice.tsx";
import { visibleLine } from "../../parts/visible-text.ts";
import { changesTexts as texts } from "../../texts/run.ts";
import type { ViewOfRun } from "../watched-run.ts";

/** A longer list is no choice: the view of stories leads to one. */
const mostOptions = 200;

export function ChangesOfRun({ watched }: ViewOfRun) {
  const { header } = watched.run.value as Run;
  const story = address.value.query.get("story") ?? "";
  const query = story === "" ? "" : `?story=${encodeURIComponent(story)}`;
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
      {header.place.repo === null ? (
        <Empty>{texts.noRepository}</Empty>
      ) : (
        <ReadDiff path={`/runs/${watched.number}/diff${query}`} how="live" />
      )}
    </section>
  );
}
