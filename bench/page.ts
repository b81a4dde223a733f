// Measures the page in a real browser: the fold of a long run against bare `evolve`, a seek in it, the size of the page, and scrolling.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Measurement, ms } from "./measure.ts";

/** What `page-browser.ts` prints. */
export interface PageFigures {
  readonly events: number;
  readonly foldMs: number;
  readonly seekMs: number;
  readonly bareMs: number;
  readonly pageKb: number;
  readonly lanes: number;
  readonly laneFrameMs: number;
}

export const page: Measurement = {
  name: "page",
  async measure() {
    const program = join(import.meta.dirname, "page-browser.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    const { events, foldMs, seekMs, bareMs, pageKb, lanes, laneFrameMs } = JSON.parse(stdout) as PageFigures;
    return [
      {
        what: `folding ${events} events in the page, against bare evolve in Node`,
        measured: `${ms(foldMs)} against ${ms(bareMs)}`,
        value: foldMs / bareMs,
        unit: "times",
        target: { atMost: 2 },
      },
      {
        what: "a seek in them, against folding all",
        measured: `${ms(seekMs)} against ${ms(foldMs)}`,
        value: seekMs / foldMs,
        unit: "times",
        target: { atMost: 0.01 },
      },
      {
        what: "the page, compressed",
        measured: `${pageKb.toFixed(0)} KB against 120 KB`,
        value: pageKb / 120,
        unit: "times",
        target: { atMost: 1 },
      },
      {
        what: `a frame while ${lanes} lanes are scrolled, 95th percentile`,
        measured: ms(laneFrameMs),
        value: laneFrameMs,
        unit: "ms",
        target: { atMost: 50 },
      },
    ];
  },
};
