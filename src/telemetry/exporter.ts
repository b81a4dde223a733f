// What an implementation of telemetry sends: ended spans, figures about attempts, and gauges.

import type { Usage } from "../domain/attempt.ts";
import type { Gauges } from "./telemetry.ts";

export type Attributes = Readonly<Record<string, string | number>>;

/** A span whose beginning and end are known. Its ids follow from what it is about, so every process knows them. */
export interface EndedSpan {
  readonly name: string;
  readonly trace: string;
  readonly id: string;
  /** null: the root of its trace. */
  readonly parent: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isFailure: boolean;
  readonly attributes: Attributes;
}

/** One attempt in figures. `labels` have few different values: no ids. */
export type Figure =
  | { readonly type: "ended"; readonly ms: number; readonly usage: Usage; readonly labels: Attributes }
  /** It began after its step had been ready for this long. */
  | { readonly type: "began"; readonly waitedMs: number; readonly labels: Attributes };

export interface Exporter {
  span(span: EndedSpan): void;
  figure(figure: Figure): void;
  /** Asks for the gauges each time that figures are sent. */
  observe(read: () => Promise<Gauges>): void;
  /** Sends what is left, and gives up after this time. */
  close(withinMs: number): Promise<void>;
}
