// Two runs side by side. What differs is marked by a sign and a word, not by a colour alone.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import type { RunPage } from "../../contracts/http-documents.ts";
import type { Run } from "../../domain/run.ts";
import { address, pathTo, setQuery } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { Empty, Loading, Problem } from "../parts/notice.tsx";
import { now } from "../parts/now.ts";
import { visibleLine } from "../parts/visible-text.ts";
import { WatchedRun } from "../run/watched-run.ts";
import { compareTexts as texts } from "../texts/compare.ts";
import { home } from "../texts/home.ts";
import { type ComparedRow, type ComparedStep, comparedRuns, comparedSteps } from "./compared.ts";

export function ComparePage() {
  const { query } = address.value;
  const [a, b] = [numberIn(query.get("a")), numberIn(query.get("b"))];
  const { document } = useDocument<RunPage>("/runs?limit=100").value;
  const runs = document?.runs ?? [];
  return (
    <div class="page compare">
      <h1>{texts.title}</h1>
      <div class="compare-choice">
        <Choice name="a" label={texts.first} value={a} runs={runs} />
        <Choice name="b" label={texts.second} value={b} runs={runs} />
        <button
          type="button"
          disabled={a === null || b === null}
          onClick={() => setQuery({ a: String(b), b: String(a) })}
        >
          {texts.swap}
        </button>
      </div>
      {a === null || b === null ? (
        <Empty>{document !== null && runs.length < 2 ? texts.tooFew : texts.choose}</Empty>
      ) : (
        <Both key={`${a} ${b}`} a={a} b={b} />
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly name: "a" | "b";
  readonly label: string;
  readonly value: number | null;
  readonly runs: RunPage["runs"];
}

function Choice({ name, label, value, runs }: ChoiceProps) {
  const isListed = value === null || runs.some(({ number }) => number === value);
  return (
    <div class="field">
      <label for={`compare-${name}`}>{label}</label>
      <select
        id={`compare-${name}`}
        value={value === null ? "" : String(value)}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
      >
        <option value="">{texts.none}</option>
        {isListed ? null : <option value={String(value)}>{home.run(value)}</option>}
        {runs.map(({ number, task }) => (
          <option key={number} value={String(number)}>
            {`${home.run(number)} ${visibleLine(task).slice(0, 80)}`}
          </option>
        ))}
      </select>
    </div>
  );
}

function Both({ a, b }: { readonly a: number; readonly b: number }) {
  const first = useMemo(() => new WatchedRun(a), [a]);
  const second = useMemo(() => new WatchedRun(b), [b]);
  const onlyDifferences = useSignal(false);
  useLayoutEffect(
    () => () => {
      first.close();
      second.close();
    },
    [first, second],
  );
  const [one, other] = [loadedRun(first), loadedRun(second)];
  const problem = first.problem.value ?? second.problem.value;
  if (one === null || other === null) return problem === null ? <Loading /> : <Problem problem={problem} />;
  const rows = comparedRuns(one, other, now.value);
  const steps = comparedSteps(one, other, now.value);
  const isShown = ({ differs }: { readonly differs: boolean }) => differs || !onlyDifferences.value;
  const count = rows.filter(({ differs }) => differs).length;
  return (
    <>
      <label class="compare-filter">
        <input
          type="checkbox"
          checked={onlyDifferences.value}
          onChange={(event) => (onlyDifferences.value = event.currentTarget.checked)}
        />
        {texts.onlyDifferences} <span class="dim number">({texts.differ(count)})</span>
      </label>
      <div class="scroll" tabIndex={0} role="region" aria-label={texts.label}>
        <table class="list compare-table">
          <thead>
            <tr>
              <th>{texts.what}</th>
              <th>
                <RunLink number={a} />
              </th>
              <th>
                <RunLink number={b} />
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.filter(isShown).map((row) => (
              <Row key={row.name} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      <PerStep steps={steps.filter(isShown)} a={a} b={b} />
    </>
  );
}

function loadedRun(watched: WatchedRun): Run | null {
  return watched.isLoaded.value ? watched.run.value : null;
}

function RunLink({ number }: { readonly number: number }) {
  return <a href={pathTo(["runs", number])}>{home.run(number)}</a>;
}

function Row({ row }: { readonly row: ComparedRow }) {
  return (
    <tr class={row.differs ? "differs" : ""}>
      <th scope="row">
        {row.name} {row.differs ? <Mark /> : null}
      </th>
      <td class="number">{row.a}</td>
      <td class="number">{row.b}</td>
    </tr>
  );
}

function Mark() {
  return (
    <span class="differs-mark">
      <span aria-hidden="true">≠</span>
      <span class="heard-only">{texts.differs}</span>
    </span>
  );
}

interface PerStepProps {
  readonly steps: readonly ComparedStep[];
  readonly a: number;
  readonly b: number;
}

function PerStep({ steps, a, b }: PerStepProps) {
  const { step, ...figures } = texts.perStepColumns;
  if (steps.length === 0) return null;
  return (
    <section class="per-step" aria-labelledby="per-step">
      <h2 id="per-step">{texts.perStep}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={texts.perStep}>
        <table class="list per-step-table">
          <thead>
            <tr>
              <th rowSpan={2}>{step}</th>
              {Object.values(figures).map((figure) => (
                <th key={figure} colSpan={2} class="pair">
                  {figure}
                </th>
              ))}
            </tr>
            <tr>
              {Object.values(figures).map((figure) => (
                <Heads key={figure} a={a} b={b} />
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.map((each) => (
              <tr key={each.step} class={each.differs ? "differs" : ""}>
                <th scope="row">
                  {each.step} {each.differs ? <Mark /> : null}
                </th>
                {each.cells.map((cell) => (
                  <Pair key={cell.name} cell={cell} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Heads({ a, b }: { readonly a: number; readonly b: number }) {
  return (
    <>
      <th class="end pair">{home.run(a)}</th>
      <th class="end">{home.run(b)}</th>
    </>
  );
}

function Pair({ cell }: { readonly cell: ComparedRow }) {
  const emphasis = cell.differs ? "other" : "dim";
  return (
    <>
      <td class={`number end pair ${emphasis}`}>{cell.a}</td>
      <td class={`number end ${emphasis}`}>{cell.b}</td>
    </>
  );
}

function numberIn(text: string | undefined): number | null {
  return /^[1-9]\d{0,8}$/.test(text ?? "") ? Number(text) : null;
}
