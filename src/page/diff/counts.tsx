// How many lines were added and removed.

import { diffTexts as texts } from "../texts/diff.ts";

/** With signs, so that colour is never alone. */
export function Counts({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span class="diff-counts number">
      <span class="heard-only">{texts.lines(added, removed)}</span>
      <span class="done" aria-hidden="true">
        +{added}
      </span>{" "}
      <span class="failed" aria-hidden="true">
        −{removed}
      </span>
    </span>
  );
}
