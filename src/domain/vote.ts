// Votes: the small table of functions over what all stories said under one key. There is no other language for it.

import { foldValue } from "./route.ts";
import { type SaidName, type SaidValue, saidText } from "./said.ts";

/** Which stories must have said a word, and what they were asked. */
export type Vote =
  | { readonly vote: "all" | "any" | "majority"; readonly of: SaidName }
  | { readonly vote: "count"; readonly of: SaidName; readonly atLeast: number };

export type VoteName = Vote["vote"];

/** Whether so many of all stories are enough. One that said nothing counts among all. */
const enough: Readonly<Record<VoteName, (said: number, all: number, atLeast: number) => boolean>> = {
  all: (said, all) => all > 0 && said === all,
  any: (said) => said > 0,
  count: (said, _, atLeast) => said >= atLeast,
  majority: (said, all) => 2 * said > all,
};

export const voteNames = Object.keys(enough) as readonly VoteName[];

export function isVoteName(text: string): text is VoteName {
  return Object.hasOwn(enough, text);
}

/** How many stories said one of these words, which are folded. */
export function votesFor(said: readonly SaidValue[], words: readonly string[]): number {
  return said.filter(({ value }) => value !== null && words.includes(foldValue(value))).length;
}

export function carries(vote: Vote, said: readonly SaidValue[], words: readonly string[]): boolean {
  const atLeast = vote.vote === "count" ? vote.atLeast : 1;
  return enough[vote.vote](votesFor(said, words), said.length, atLeast);
}

/** `the majority of review.*.verdict` */
export function voteText(vote: Vote): string {
  const of = saidText(vote.of);
  switch (vote.vote) {
    case "all":
      return `all of ${of}`;
    case "any":
      return `any of ${of}`;
    case "count":
      return `at least ${vote.atLeast} of ${of}`;
    case "majority":
      return `the majority of ${of}`;
  }
}
