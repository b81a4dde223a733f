// A gate that has its answer, or needs none any more: who answered what, what happens now, and the way on. What a person wrote here
// and did not send stays readable.

import { useEffect, useRef } from "preact/hooks";
import type { GateList, GateView } from "../../contracts/run-documents.ts";
import { pathTo } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { isOwn } from "../api/role.ts";
import { markdownText } from "../parts/markdown.ts";
import { withCode } from "../parts/notice.tsx";
import { now } from "../parts/now.ts";
import { personIn } from "../parts/person.ts";
import { Status } from "../parts/sign.tsx";
import { agoText, clockText } from "../parts/time-text.ts";
import { Visible } from "../parts/visible.tsx";
import { visibleText } from "../parts/visible-text.ts";
import type { WatchedRun } from "../run/watched-run.ts";
import { common } from "../texts/common.ts";
import { answeredTexts as texts } from "../texts/gate.ts";
import type { GateDraft } from "./gate-draft.ts";
import { Unsent } from "./unsent.tsx";
import type { Answering } from "./use-answering.ts";

interface Props {
  readonly gate: GateView;
  readonly watched: WatchedRun;
  readonly draft: GateDraft;
  readonly answering: Answering;
}

const longestWhy = 300;

export function AnsweredPanel({ gate, watched, draft, answering }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { sent, refusal } = answering;
  // Who has just answered, or tried to, is told; who only looks at it is not moved.
  useEffect(() => {
    if (sent.value !== null || refusal.value !== null) heading.current?.focus();
  }, [sent.value, refusal.value]);
  const { answer } = gate;
  const option = sent.value ?? answer?.option ?? null;
  return (
    <div class="answered">
      {refusal.value === "elsewhere" ? (
        <p class="gate-moved" role="alert">
          {isOwn(answer?.by ?? "") ? texts.already : texts.elsewhere}
        </p>
      ) : null}
      <h2 ref={heading} tabIndex={-1} class="answered-title">
        {option === null
          ? texts.isVoid
          : texts.who(sent.value !== null ? common.you : personIn(answer?.by ?? ""), visibleText(option))}
      </h2>
      {answer === null ? null : (
        <p class="dim small">{texts.at(clockText(Date.parse(answer.at)), agoText(Date.parse(answer.at), now.value))}</p>
      )}
      {gate.status === "void" && answer !== null && sent.value === null ? (
        <p class="dim small">{texts.voidAnswer}</p>
      ) : null}
      {answer === null || answer.reason === null ? null : (
        <p>
          {texts.reason}: {visibleText(answer.reason)}
        </p>
      )}
      {answer === null || answer.note === "" ? null : (
        <section aria-label={texts.note}>
          <h3>{texts.note}</h3>
          <p class="answered-note">
            <Visible text={answer.note} keepsLines />
          </p>
        </section>
      )}
      <section aria-label={texts.now}>
        <h3>{texts.now}</h3>
        {watched.status.value === null ? null : <Status of={watched.status.value} />}
        <p class="answered-why">
          {watched.status.value === "held" ? texts.asksAgain : withCode(shortened(watched.why.value))}
        </p>
      </section>
      <WayOn gate={gate} />
      <Unsent draft={draft} />
    </div>
  );
}

function shortened(text: string): string {
  return text.length > longestWhy ? `${text.slice(0, longestWhy - 1)}…` : text;
}

/** The next question of the same run comes first. */
function WayOn({ gate }: { readonly gate: GateView }) {
  const open = useDocument<GateList>("/gates").value.document?.gates ?? null;
  const others = (open ?? []).filter(({ id }) => id !== gate.id);
  const next = others.find(({ run }) => run === gate.run) ?? others[0];
  return (
    <div class="way-on">
      <a class={next === undefined ? "button primary" : "button"} href={pathTo(["runs", gate.number])}>
        {texts.toRun(gate.number)}
      </a>
      {next === undefined ? (
        <p class="dim small">{open === null ? "" : texts.nothingElse}</p>
      ) : (
        <a class="button primary next-gate" href={pathTo(["gates", next.id])}>
          <span>{texts.nextGate}</span>
          <span class="one-line">{visibleText(markdownText(next.question.split("\n", 1)[0] ?? ""))}</span>
        </a>
      )}
    </div>
  );
}
