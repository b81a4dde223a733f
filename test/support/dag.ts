// A PRD with the shape of workflows that scientists run: a mosaic of the sky as Montage makes it (project each picture, compare each pair
// that overlaps, one model of all differences, correct each picture, add them up), then lanes of four stages as those of Epigenomics,
// their merge, and a long tail. The sizes follow the published ones: four pairs for a picture, lanes of four stages.

import { chooser } from "./random-run.ts";

export interface DagStory {
  readonly id: string;
  readonly level: string;
  readonly dependsOn: readonly string[];
  /** How long its agent waits. */
  readonly seconds: number;
}

const pairsOfPicture = 4;
const stagesOfLane = ["filter", "convert", "pack", "map"];
/** A story in seven is in a lane. */
const shareOfLanes = 1 / 7;
/** `concat`, `model`, `table`, `add`, `split`, `merge`, and a tail of at least four. */
const single = 10;
const usualMs = 40;
/** One story in fifty takes that much longer. */
const stragglers = { oneIn: 50, times: 20 };

/** In an order in which each comes after what it depends on. The same seed makes the same. */
export function scientificDag(count: number, seed: number): readonly DagStory[] {
  const choose = chooser(seed);
  const lanes = Math.max(2, Math.floor((count * shareOfLanes) / stagesOfLane.length));
  const pictures = Math.floor((count - single - lanes * stagesOfLane.length) / (pairsOfPicture + 2));
  if (pictures < 3) throw new Error(`${count} stories are too few for this shape`);
  const made: DagStory[] = [];
  const add = (level: string, dependsOn: readonly string[]): string => {
    const id = `S-${String(made.length + 1).padStart(4, "0")}`;
    const times = choose(stragglers.oneIn) === 0 ? stragglers.times : 1;
    made.push({ id, level, dependsOn, seconds: ((choose(usualMs) + 1) * times) / 1000 });
    return id;
  };
  const all = (length: number, make: (index: number) => string) => Array.from({ length }, (_, index) => make(index));
  const projected = all(pictures, () => add("project", []));
  const compared = all(pictures * pairsOfPicture, (index) => {
    const one = index % pictures;
    const other = (one + 1 + choose(Math.min(pictures - 1, 2 * pairsOfPicture))) % pictures;
    return add("compare", [projected[one] ?? "", projected[other] ?? ""]);
  });
  const model = add("model", [add("concat", compared)]);
  const corrected = projected.map((each) => add("correct", [model, each]));
  const sum = add("add", [add("table", corrected)]);
  const split = add("split", [sum]);
  const mapped = all(lanes, () => stagesOfLane.reduce((before, stage) => add(stage, [before]), split));
  let last = add("merge", mapped);
  while (made.length < count) last = add("tail", [last]);
  return made;
}

/** How long the longest chain takes where each story takes that long. */
export function longestChain(dag: readonly DagStory[], timeOf: (id: string) => number): number {
  const ends = new Map<string, number>();
  for (const { id, dependsOn } of dag)
    ends.set(id, timeOf(id) + Math.max(0, ...dependsOn.map((before) => ends.get(before) ?? 0)));
  return Math.max(...ends.values());
}
