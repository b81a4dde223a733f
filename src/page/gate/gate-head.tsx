// The top of a gate's page: the question, why it is asked, what was said before it, and what speaks for the work.

import { useMemo } from "preact/hooks";
import type { GateView } from "../../contracts/run-documents.ts";
import type { Event } from "../../domain/event.ts";
import { pathTo } from "../address.ts";
import { Markdown, MarkdownLine } from "../parts/markdown-view.tsx";
import { now } from "../parts/now.ts";
import { Status } from "../parts/sign.tsx";
import { agoText, clockText, spanText } from "../parts/time-text.ts";
import { visibleText } from "../parts/visible-text.ts";
import { common } from "../texts/common.ts";
import { causeWords, gateTexts as texts } from "../texts/gate.ts";
import { evidenceFor } from "./evidence.ts";
import { EvidenceTable } from "./evidence-table.tsx";

interface Props {
  readonly gate: GateView;
  readonly events: readonly Event[];
  readonly length: number;
}

export function GateHead({ gate, events, length }: Props) {
  const evidence = useMemo(() => evidenceFor(events, gate.id), [gate.id, length]);
  const [title, rest] = titleOf(gate.question);
  const where = `${gate.story === null ? "" : `${gate.story}, `}${gate.step}${gate.part === undefined ? "" : ` (${gate.part})`}`;
  const isSaid = gate.cause === "step" || gate.cause === "waits";
  return (
    <header class="gate-head">
      <p class="dim small gate-place">
        <a href="/">{common.runs}</a> /{" "}
        <a href={pathTo(["runs", gate.number])}>
          {texts.run(gate.number)} {visibleText(gate.task.split("\n", 1)[0] ?? "")}
        </a>{" "}
        / {where}
      </p>
      <h1 class="gate-question">
        <MarkdownLine text={title} />
      </h1>
      {rest === "" ? null : <Markdown text={rest} />}
      <p class="facts gate-facts">
        <GateStatus gate={gate} />
        <span>{causeWords[gate.cause]}</span>
        <span class="dim">{texts.opened(agoText(Date.parse(gate.openedAt), now.value))}</span>
        <Deadline gate={gate} />
        {gate.tree === null ? null : (
          <span class="dim">
            {texts.tree} <code title={gate.tree}>{gate.tree.slice(0, 10)}</code>
          </span>
        )}
      </p>
      {gate.feedback === "" ? null : (
        <section class="gate-said">
          <h2>{isSaid ? texts.said : texts.sentHere}</h2>
          <div class="gate-said-text" tabIndex={0} role="region" aria-label={isSaid ? texts.said : texts.sentHere}>
            <Markdown text={gate.feedback} />
          </div>
        </section>
      )}
      {evidence.length === 0 ? null : <EvidenceTable evidence={evidence} />}
    </header>
  );
}

function GateStatus({ gate }: { readonly gate: GateView }) {
  if (gate.status === "open") return <Status of="held" word={texts.open} />;
  return gate.answer === null ? (
    <Status of="cancelled" word={texts.isVoid} />
  ) : (
    <Status of="done" word={texts.answered} />
  );
}

function Deadline({ gate: { deadline, status } }: { readonly gate: GateView }) {
  if (deadline === null || status !== "open") return null;
  const at = Date.parse(deadline.at);
  const leftMs = at - now.value;
  return (
    <span class="held">
      {leftMs > 0
        ? texts.deadline(deadline.option, spanText(leftMs), clockText(at))
        : texts.deadlineOver(deadline.option, clockText(at))}
    </span>
  );
}

/** Its first line is the title; a long one stays a text. */
function titleOf(question: string): readonly [string, string] {
  const [first = "", ...rest] = question.trim().split("\n");
  return [first.replace(/^#{1,6} +/, ""), rest.join("\n").trim()];
}
