// What an attempt came to: its verdict, its checks and tests, what it set for the steps after it, and what else is known of its end.

import type { ComponentChildren } from "preact";
import type { AttemptDocument } from "../../contracts/http-documents.ts";
import { plainText } from "../../transcript/plain-text.ts";
import { Empty } from "../parts/notice.tsx";
import { Status } from "../parts/sign.tsx";
import { resultTexts as texts } from "../texts/attempt.ts";
import { standingOf } from "./attempt-status.ts";
import { shownFacts } from "./facts.ts";

export function ResultView({ attempt }: { readonly attempt: AttemptDocument }) {
  if (attempt.phase !== "ended") return <Empty>{texts.running}</Empty>;
  const { checks, tests, failing, files, said, reported, more } = shownFacts(attempt.facts);
  const outputs = fieldsOf(attempt.outputs);
  const uncounted = fieldsOf(reported);
  const { status, word } = standingOf(attempt);
  const count = outputs.length + uncounted.length + checks.length + files.length + more.length;
  const isEmpty = count === 0 && said === "" && tests === null;
  return (
    <div class="result">
      <Part name={texts.verdict}>
        <p class="facts">
          <Status of={status} word={word} />
          {attempt.took === null ? null : <span>{texts.led(attempt.took)}</span>}
        </p>
      </Part>
      {checks.length === 0 ? null : (
        <Part name={texts.checks}>
          <ul class="checks">
            {checks.map(({ run, passed }, i) => (
              <li key={i}>
                <Status of={passed ? "done" : "failed"} word={passed ? texts.checkPassed : texts.checkFailed} />
                <code>{plainText(run)}</code>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {tests === null ? null : (
        <Part name={texts.tests}>
          <p class="number">{texts.testCounts(tests.pass, tests.fail, tests.skip)}</p>
        </Part>
      )}
      {failing.length === 0 ? null : <Texts name={texts.failing} all={failing} />}
      {said === "" ? null : (
        <Part name={texts.said}>
          <pre class="output card">{said}</pre>
        </Part>
      )}
      {outputs.length === 0 ? null : (
        <Part name={texts.outputs}>
          <Fields fields={outputs} />
        </Part>
      )}
      {uncounted.length === 0 ? null : (
        <Part name={texts.reported}>
          <Fields fields={uncounted} />
        </Part>
      )}
      {files.length === 0 ? null : <Texts name={texts.files} all={files} />}
      {more.length === 0 ? null : (
        <Part name={texts.more}>
          <Fields fields={more} />
        </Part>
      )}
      {isEmpty ? <Empty>{texts.nothing}</Empty> : null}
    </div>
  );
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

function Texts({ name, all }: { readonly name: string; readonly all: readonly string[] }) {
  return (
    <Part name={name}>
      <ul class="mono">
        {all.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </Part>
  );
}

interface Field {
  readonly name: string;
  readonly text: string;
}

function fieldsOf(values: Readonly<Record<string, string>>): readonly Field[] {
  return Object.entries(values).map(([name, text]) => ({ name: plainText(name), text: plainText(text) }));
}

function Fields({ fields }: { readonly fields: readonly Field[] }) {
  return (
    <dl class="fields card">
      {fields.map(({ name, text }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
