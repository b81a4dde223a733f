// What the agent of an attempt was told, whole. It is a text of others: it is shown as it is, with its control characters visible.

import type { PromptDocument } from "../../contracts/http-documents.ts";
import { plainText } from "../../transcript/plain-text.ts";
import { useDocument } from "../api/loaded.ts";
import { Empty, Loading, Problem, withCode } from "../parts/notice.tsx";
import { promptTexts as texts } from "../texts/attempt.ts";

export function PromptView({ id }: { readonly id: string }) {
  const { document, problem } = useDocument<PromptDocument>(`/attempts/${encodeURIComponent(id)}/prompt`, "once").value;
  if (problem !== null) return <Problem problem={problem} />;
  if (document === null) return <Loading />;
  if (document.prompt === "") return <Empty>{withCode(texts.gone)}</Empty>;
  return (
    <section class="told" aria-label={texts.label}>
      <p class="dim small">{texts.size(document.prompt.length.toLocaleString("en"))}</p>
      <pre class="prompt card" tabIndex={0}>
        {plainText(document.prompt)}
      </pre>
    </section>
  );
}
