// A field of a form: its name, what to know about it, and what is wrong with it, which those who listen to the page hear as well.

import type { ComponentChildren } from "preact";
import { withCode } from "./notice.tsx";

/** What ties a field to its hint and its problem. */
interface Tied {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  /** Empty: nothing is wrong. */
  readonly problem?: string;
  readonly children: (tied: Tied) => ComponentChildren;
}

export function Field({ id, label, hint = "", problem = "", children }: FieldProps) {
  const describedBy = [...(hint === "" ? [] : [`${id}-hint`]), ...(problem === "" ? [] : [`${id}-problem`])].join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": describedBy === "" ? undefined : describedBy,
        "aria-invalid": problem === "" ? undefined : true,
      })}
      {hint === "" ? null : (
        <p id={`${id}-hint`} class="dim small">
          {withCode(hint)}
        </p>
      )}
      {problem === "" ? null : (
        <p id={`${id}-problem`} class="field-problem small" role="alert">
          {withCode(problem)}
        </p>
      )}
    </div>
  );
}
