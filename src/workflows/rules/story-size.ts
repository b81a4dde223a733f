// The size of a story by the marks in its words, and whether a story of that size is worked on by one executor or by a team. Marks are
// tokens such as `[M]` and `[P]`; nothing else of the words is understood.

import type { StorySpec } from "../../domain/story.ts";

export const storySizes = ["S", "M", "L"] as const;
export type StorySize = (typeof storySizes)[number];

export interface SizeMarks {
  readonly size: StorySize;
  /** How many of its tasks can be worked on at the same time. */
  readonly parallel: number;
}

/** `auto`: a team only where two tasks or more can be worked on at the same time. */
export const dispatchModes = ["single", "auto", "team"] as const;
export type DispatchMode = { readonly [Size in StorySize]?: (typeof dispatchModes)[number] | undefined };

const usual: Readonly<Record<StorySize, (typeof dispatchModes)[number]>> = { S: "single", M: "auto", L: "team" };
/** One task alone has nothing to run beside. */
const leastParallel = 2;

/** The key of a story's context. Its value is `M`, or `M+P` for one with at least two parallel tasks. */
export const sizeKey = "story_size";

export function sizeValue({ size, parallel }: SizeMarks): string {
  return parallel >= leastParallel ? `${size}+P` : size;
}

/** Null: it is none of ours. */
export function marksOfValue(value: string): SizeMarks | null {
  const [, size, plus] = /^\s*([SML])(\+P)?\s*$/i.exec(value) ?? [];
  const known = storySizes.find((each) => each === size?.toUpperCase());
  return known === undefined ? null : { size: known, parallel: plus === undefined ? 0 : leastParallel };
}

/** A story without a mark is small. */
export function marksOf({ title, description, acceptanceCriteria }: Words): SizeMarks {
  // A description often repeats the title, whose marks count once.
  const first = description.includes(title.replace(/…$/, "")) ? [description] : [title, description];
  const text = [...first, ...acceptanceCriteria].join("\n");
  const written = /\[([SML])\]/.exec(`${title}\n${text}`)?.[1];
  const size = storySizes.find((each) => each === written) ?? "S";
  return { size, parallel: text.match(/\[P\]/g)?.length ?? 0 };
}

type Words = Pick<StorySpec, "title" | "description" | "acceptanceCriteria">;

/** A story as it is planned, with its size in its context. */
export function withSize(spec: StorySpec): StorySpec {
  return { ...spec, context: { ...spec.context, [sizeKey]: sizeValue(marksOf(spec)) } };
}

/** The values of the size for which a team works, folded as conditions compare them. */
export function teamSizes(dispatch: DispatchMode = {}): readonly string[] {
  return storySizes.flatMap((size) => {
    const mode = dispatch[size] ?? usual[size];
    const [alone, together] = [size.toLowerCase(), `${size.toLowerCase()}+p`];
    return mode === "team" ? [alone, together] : mode === "auto" ? [together] : [];
  });
}

export function isTeam(marks: SizeMarks, dispatch?: DispatchMode): boolean {
  return teamSizes(dispatch).includes(sizeValue(marks).toLowerCase());
}
