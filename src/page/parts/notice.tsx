// What a part of the page says when it has nothing to show: loading, a problem, or nothing there yet.

import type { ComponentChildren } from "preact";
import type { CallProblem } from "../api/calls.ts";
import { common } from "../texts/common.ts";
import { visibleLine } from "./visible-text.ts";

export function Loading() {
  return (
    <p class="notice dim" role="status">
      {common.loading}…
    </p>
  );
}

/** With what to do about it. */
export function Problem({ problem }: { readonly problem: CallProblem }) {
  return (
    <div class="notice bad" role="alert">
      <p>{sentence(problem.message)}</p>
      {problem.hint === "" ? null : <p class="dim">{withCode(problem.hint)}</p>}
    </div>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="notice dim">{children}</div>;
}

/** What stands in backticks is a command. */
export function withCode(text: string): ComponentChildren {
  return text.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{visibleLine(part)}</code> : visibleLine(part)));
}

export function sentence(text: string): string {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
