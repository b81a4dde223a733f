// The options of an open gate for somebody who may not answer it: what can be said and where it leads, without a way to send it.

import { visibleText } from "../parts/visible-text.ts";
import { NotAllowed } from "../role-line.tsx";
import { answerTexts as texts } from "../texts/gate.ts";
import type { GateDraft } from "./gate-draft.ts";
import { type Previewed, PreviewText, usePreviews } from "./option-previews.tsx";
import { Unsent } from "./unsent.tsx";

export function OnlyOptions({ draft, ...previewed }: Previewed & { readonly draft: GateDraft }) {
  const previews = usePreviews(previewed, { chosen: null, reason: null, hasWords: true });
  return (
    <div class="answer-form">
      <h2>{texts.options}</h2>
      <ul class="answer-options">
        {previewed.gate.options.map((name) => (
          <li key={name} class="only-option">
            <p class="answer-name">{visibleText(name)}</p>
            <PreviewText preview={previews?.get(name) ?? null} />
          </li>
        ))}
      </ul>
      <NotAllowed what="answer" />
      <Unsent draft={draft} />
    </div>
  );
}
