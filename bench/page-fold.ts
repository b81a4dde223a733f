// The page's fold, for the browser of the benchmark.

import { RunLog } from "../src/page/run/run-log.ts";

type Definition = ConstructorParameters<typeof RunLog>[0];
type Documents = Parameters<RunLog["append"]>[0];

interface FoldTimes {
  readonly foldMs: number;
  /** Of one seek, on average. */
  readonly seekMs: number;
}

Object.assign(globalThis, {
  fold(definition: Definition, documents: Documents): FoldTimes {
    const before = performance.now();
    const log = new RunLog(definition);
    log.append(documents);
    const foldMs = performance.now() - before;
    const seeks = 200;
    const from = performance.now();
    // Far from each other, as a person who drags.
    for (let i = 0; i < seeks; i += 1) log.at(1 + ((i * 7_919) % (log.length - 1)));
    return { foldMs, seekMs: (performance.now() - from) / seeks };
  },
});
