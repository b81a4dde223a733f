// Decides by what stories or parts said: the first value, in the order of `on`, that the vote carries. Its evidence is who said what.

import { counted } from "../../domain/counted.ts";
import { unknownValue } from "../../domain/evidence.ts";
import { type SaidPlaces, type SaidValue, saidBy, saidText, speakerName } from "../../domain/said.ts";
import { carries, type Vote, votesFor, voteText } from "../../domain/vote.ts";
import type { DecisionRead } from "../protocol.ts";

/** `values`: what the step has routes for. One that said nothing leaves open what all of them say. */
export function decideByVote(places: SaidPlaces, vote: Vote, values: readonly string[]): DecisionRead {
  const said = saidBy(places, vote.of);
  const evidence = said.map((each) => ({ ...each, name: saidText(vote.of) }));
  const silent = said.filter(({ value }) => value === null).map(speakerName);
  const value = silent.length > 0 ? undefined : values.find((each) => carries(vote, said, [each]));
  const tally = tallyText(said, values);
  if (value !== undefined) return { value, why: `${voteText(vote)} say ${value}: ${tally}`, evidence };
  const why =
    said.length === 0
      ? `nobody has said ${saidText(vote.of)}`
      : silent.length > 0
        ? `${silent.join(", ")} did not say ${saidText(vote.of)}: ${tally}`
        : `no answer has ${voteText(vote)}: ${tally}`;
  return { value: unknownValue, why, evidence };
}

/** `2 of 3 stories approved, 1 rejected` */
function tallyText(said: readonly SaidValue[], values: readonly string[]): string {
  const counts = values.map((value) => `${value} ${votesFor(said, [value])}`);
  return `${counts.join(", ")} of ${speakersText(said)}`;
}

function speakersText(said: readonly SaidValue[]): string {
  const areParts = said.some((each) => "part" in each);
  return areParts ? counted(said.length, "part") : counted(said.length, "story", "stories");
}
