// Signs of states, drawn: a font may have none of them, and a colour alone says nothing to many people.

import type { AnyStatus } from "../texts/common.ts";
import { statusWords } from "../texts/common.ts";

const shapes: Readonly<Record<AnyStatus, string>> = {
  running: "M8 3.2a4.8 4.8 0 1 1-4.8 4.8M8 6.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2",
  held: "M5.6 6a2.4 2.4 0 1 1 3.4 2.2c-.7.4-1 .8-1 1.6M8 12.3v.2",
  paused: "M6 4v8M10 4v8",
  done: "M3.5 8.5l3 3 6-7",
  failed: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  cancelled: "M4 8h8",
  waiting: "M8 5.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2",
  ready: "M6 4.5l5.5 3.5L6 11.5z",
  skipped: "M4 4.5L7.5 8 4 11.5M8.5 4.5L12 8l-3.5 3.5",
  blocked: "M8 3.5v5.6M8 12v.3",
  rejected: "M4 6.2h5.2a2.9 2.9 0 0 1 0 5.8H7M4 6.2l2.6-2.6M4 6.2l2.6 2.6",
};

export function Sign({ of }: { readonly of: AnyStatus }) {
  return (
    <svg class="sign" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={shapes[of]} />
    </svg>
  );
}

/** The sign with its word. */
export function Status({ of, word = statusWords[of] }: { readonly of: AnyStatus; readonly word?: string }) {
  return (
    <span class={`status ${of}`}>
      <Sign of={of} />
      {word}
    </span>
  );
}
