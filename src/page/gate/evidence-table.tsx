// The evidence of a gate as a table: each step before it, how it ended, and what its checks said.

import { pathTo } from "../address.ts";
import { Status } from "../parts/sign.tsx";
import { clockText } from "../parts/time-text.ts";
import { Visible } from "../parts/visible.tsx";
import { gateTexts as texts } from "../texts/gate.ts";
import type { Evidence } from "./evidence.ts";

const shownChecks = 4;

export function EvidenceTable({ evidence }: { readonly evidence: readonly Evidence[] }) {
  const { step, outcome, checks, at } = texts.evidenceColumns;
  return (
    <section class="gate-evidence">
      <h2>{texts.evidence}</h2>
      <div class="scroll">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">{step}</th>
              <th scope="col">{outcome}</th>
              <th scope="col">{checks}</th>
              <th scope="col" class="end">
                {at}
              </th>
            </tr>
          </thead>
          <tbody>
            {evidence.map((each) => (
              <tr key={each.attempt}>
                <td>
                  <a href={pathTo(["attempts", each.attempt])}>{each.name}</a>
                  {each.number === 1 ? null : <span class="dim small"> {texts.attemptNumber(each.number)}</span>}
                </td>
                <td>
                  <Status of={each.status} word={each.outcome} />
                  {each.status === "done" || each.why === "" ? null : (
                    <p class="small gate-why">
                      <Visible text={each.why.trim().split("\n", 1)[0] ?? ""} />
                    </p>
                  )}
                </td>
                <td>
                  <Checks of={each} />
                </td>
                <td class="end number dim">{clockText(each.at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Checks({ of: { checks, tests } }: { readonly of: Evidence }) {
  if (checks.length === 0 && tests === null) return <span class="dim">–</span>;
  const more = checks.length - shownChecks;
  return (
    <ul class="gate-checks">
      {checks.slice(0, shownChecks).map(({ run, passed }) => (
        <li key={run}>
          <Status of={passed ? "done" : "failed"} word={passed ? texts.checkPassed : texts.checkFailed} />{" "}
          <code>
            <Visible text={run.split("\n", 1)[0] ?? ""} />
          </code>
        </li>
      ))}
      {more > 0 ? <li class="dim">{texts.moreChecks(more)}</li> : null}
      {tests === null ? null : <li class="dim">{texts.tests(tests.pass, tests.fail, tests.skip)}</li>}
    </ul>
  );
}
