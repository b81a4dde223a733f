// The first lines of an attempt's page: which attempt of what, how it stands and why, what it used, the attempts beside it, and how to
// open its agent's session.

import { useSignal } from "@preact/signals";
import type { AttemptDocument } from "../../contracts/http-documents.ts";
import { money, tokensText } from "../../transcript/money.ts";
import { go, pathTo } from "../address.ts";
import { useKeys } from "../keys.tsx";
import { withCode } from "../parts/notice.tsx";
import { now } from "../parts/now.ts";
import { Status } from "../parts/sign.tsx";
import { clockText, spanText } from "../parts/time-text.ts";
import { attemptTexts as texts } from "../texts/attempt.ts";
import { common } from "../texts/common.ts";
import { runTexts } from "../texts/run.ts";
import { standingOf } from "./attempt-status.ts";

interface HeaderProps {
  readonly attempt: AttemptDocument;
}

export function AttemptHeader({ attempt }: HeaderProps) {
  const { number, story, name, part, others, executor, model, version, why, notes } = attempt;
  const { status, word } = standingOf(attempt);
  const startedAt = Date.parse(attempt.startedAt);
  const until = attempt.endedAt === null ? now.value : Date.parse(attempt.endedAt);
  const step = part === undefined ? name : `${name} (${part})`;
  return (
    <div class="run-header">
      <div class="run-header-inside">
        <p class="dim small one-line">
          <a href="/">{common.runs}</a> / <a href={pathTo(["runs", number])}>{runTexts.run(String(number))}</a>
          {story === null ? null : (
            <>
              {" "}
              / <a href={pathTo(["runs", number, "stories"])}>{story}</a>
            </>
          )}{" "}
          / {step}
        </p>
        <h1 class="run-task">
          {story === null ? "" : `${story} · `}
          {step}, {texts.number(attempt.attempt, others.length)}
        </h1>
        <p class="facts">
          <Status of={status} word={word} />
          <span class="number" title={texts.started(clockText(startedAt))}>
            {spanText(until - startedAt)}
          </span>
          <span>{[executor, model, version].filter((each) => each !== null).join(" · ")}</span>
          <Used attempt={attempt} />
        </p>
        {why === "" ? null : <p class="why">{withCode(why)}</p>}
        {notes.map((note, i) => (
          <p key={i} class="why dim">
            {note}
          </p>
        ))}
        <OpenSession open={attempt.open} />
        <Others attempt={attempt} />
      </div>
    </div>
  );
}

function Used({ attempt: { usage } }: HeaderProps) {
  const { inputTokens, cacheReadTokens, outputTokens } = usage;
  if (usage.costUsd === null && inputTokens === null) return <span>{texts.unreported}</span>;
  const all = (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (outputTokens ?? 0);
  const detail = texts.tokensOf(tokensText(inputTokens), tokensText(cacheReadTokens), tokensText(outputTokens));
  return (
    <>
      <span class="number">{money(usage)}</span>
      {all === 0 ? null : (
        <span class="number" title={detail}>
          {texts.tokens(tokensText(all))}
        </span>
      )}
    </>
  );
}

/** The attempts of the same step, by number. */
function Others({ attempt: { id, others } }: HeaderProps) {
  const at = others.findIndex((each) => each.id === id);
  const [previous, next] = [others[at - 1], others[at + 1]];
  const open = (to: string | undefined) => {
    if (to !== undefined) go(pathTo(["attempts", to]));
  };
  useKeys([
    { key: "[", name: texts.previous, act: () => open(previous?.id) },
    { key: "]", name: texts.next, act: () => open(next?.id) },
  ]);
  if (others.length < 2) return null;
  const near = others.slice(Math.max(0, at - 3), Math.max(0, at - 3) + 7);
  return (
    <nav class="run-actions attempts-near" aria-label={texts.attempts}>
      {previous === undefined ? null : (
        <a class="button" href={pathTo(["attempts", previous.id])} aria-label={texts.previous}>
          ←
        </a>
      )}
      {near.map((each) => {
        const { status, word } = standingOf(each);
        return (
          <a
            key={each.id}
            class={`button ${status}`}
            href={pathTo(["attempts", each.id])}
            title={word}
            aria-current={each.id === id ? "page" : undefined}
          >
            {each.attempt}
            <span class="heard-only"> {word}</span>
          </a>
        );
      })}
      {next === undefined ? null : (
        <a class="button" href={pathTo(["attempts", next.id])} aria-label={texts.next}>
          →
        </a>
      )}
    </nav>
  );
}

function OpenSession({ open }: Pick<AttemptDocument, "open">) {
  const isCopied = useSignal(false);
  if (open === null) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(open);
    isCopied.value = true;
  };
  return (
    <p class="open-session">
      <span class="dim">{texts.open}:</span> <code>{open}</code>
      <button type="button" onClick={() => void copy()}>
        {isCopied.value ? texts.copied : texts.copy}
      </button>
    </p>
  );
}
