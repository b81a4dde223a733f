// A diff of the API that is only looked at: read, with what has to be said about it, or why there is none.

import { useMemo } from "preact/hooks";
import type { AttemptDiff, DiffDocument } from "../../contracts/diff-document.ts";
import { useDocument } from "../api/loaded.ts";
import { Empty, Loading, Problem, sentence } from "../parts/notice.tsx";
import { visibleLine } from "../parts/visible-text.ts";
import { diffTexts as texts } from "../texts/diff.ts";
import { DiffView } from "./diff-view.tsx";
import { fileChangesOf } from "./file-change.ts";

interface Props {
  readonly path: string;
  /** `live`: the work may grow without an event, so it is read again with every change. */
  readonly how: "live" | "once";
}

export function ReadDiff({ path, how }: Props) {
  const { document: diff, problem } = useDocument<DiffDocument | AttemptDiff>(path, how).value;
  const files = useMemo(() => (diff === null ? [] : fileChangesOf(diff)), [diff]);
  if (diff === null) return problem === null ? <Loading /> : <Problem problem={problem} />;
  const isRolledBack = "isRolledBack" in diff && diff.isRolledBack;
  const notes = [...(isRolledBack ? [texts.rolledBack] : []), ...diff.notes.map(visibleLine)];
  return (
    <>
      {problem === null ? null : <Problem problem={problem} />}
      {notes.length === 0 ? null : (
        <div class="notice">
          {notes.map((note) => (
            <p key={note}>{sentence(note)}</p>
          ))}
        </div>
      )}
      {files.length === 0 ? (
        <Empty>{texts.nothing}</Empty>
      ) : (
        <DiffView files={files} total={diff.total} review={null} />
      )}
    </>
  );
}
