// What the attempt changed: the same diff as at a gate, to look at.

import { useMemo } from "preact/hooks";
import type { AttemptDiff } from "../../contracts/diff-document.ts";
import { useDocument } from "../api/loaded.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { fileChangesOf } from "../diff/file-change.ts";
import { Empty, Loading, Problem } from "../parts/notice.tsx";
import { visibleLine } from "../parts/visible-text.ts";
import { attemptTexts as texts } from "../texts/attempt.ts";

export function ChangesView({ id }: { readonly id: string }) {
  const { document: diff, problem } = useDocument<AttemptDiff>(
    `/attempts/${encodeURIComponent(id)}/diff`,
    "once",
  ).value;
  const files = useMemo(() => (diff === null ? [] : fileChangesOf(diff)), [diff]);
  if (diff === null) return problem === null ? <Loading /> : <Problem problem={problem} />;
  return (
    <>
      {diff.isRolledBack ? <p class="notice">{texts.rolledBack}</p> : null}
      {diff.notes.map((note) => (
        <p key={note} class="notice">
          {visibleLine(note)}
        </p>
      ))}
      {files.length === 0 ? (
        <Empty>{texts.noChanges}</Empty>
      ) : (
        <DiffView files={files} total={diff.total} review={null} />
      )}
    </>
  );
}
