// Measures the page in a real browser: the fold of a long run against bare `evolve`, a seek in it, the size of the page,
// scrolling, and a log that grows.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Figure, type Measurement, ms } from "./measure.ts";

export interface ScrolledFrames {
  /** The 95th percentile of the time from one frame to the next. */
  readonly frameMs: number;
  /** CPU of the page's main thread for a frame, on average: other load on the machine changes it less. */
  readonly workMs: number;
}

export interface LogFigures {
  /** Of one core. */
  readonly cpuShare: number;
  /** The 95th percentile. */
  readonly frameMs: number;
}

/** What `page-browser.ts` prints. */
export interface PageFigures {
  readonly events: number;
  readonly foldMs: number;
  readonly seekMs: number;
  readonly bareMs: number;
  readonly pageKb: number;
  readonly lanes: number;
  readonly scrolled: ScrolledFrames;
  readonly renderedLog: LogFigures;
  readonly printedLog: LogFigures;
}

export const page: Measurement = {
  name: "page",
  async measure({ quick }) {
    const program = join(import.meta.dirname, "page-browser.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...(quick ? ["quick"] : [])]);
    const figures = JSON.parse(stdout) as PageFigures;
    const { events, foldMs, seekMs, bareMs, pageKb, lanes, scrolled } = figures;
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
        value: (seekMs / foldMs) * 100,
        unit: "%",
        target: { atMost: 1 },
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
        measured: `${ms(scrolled.frameMs)}, of which the page worked ${ms(scrolled.workMs)}`,
        value: scrolled.frameMs,
        unit: "ms",
        target: { atMost: 50 },
      },
      ...logRows(figures),
    ];
  },
};

/** The worse of the two ways to show a log counts. */
function logRows({ renderedLog, printedLog }: PageFigures): readonly Figure[] {
  const what = "1 MB a second of log";
  const percent = ({ cpuShare }: LogFigures) => `${(cpuShare * 100).toFixed(1)} %`;
  return [
    {
      what: `CPU of the page for ${what}, of a core`,
      measured: `${percent(renderedLog)} rendered, ${percent(printedLog)} as printed`,
      value: Math.max(renderedLog.cpuShare, printedLog.cpuShare) * 100,
      unit: "%",
      target: { atMost: 15 },
    },
    {
      what: `a frame with ${what}, 95th percentile`,
      measured: `${ms(renderedLog.frameMs)} rendered, ${ms(printedLog.frameMs)} as printed`,
      value: Math.max(renderedLog.frameMs, printedLog.frameMs),
      unit: "ms",
      target: { atMost: 50 },
    },
  ];
}
