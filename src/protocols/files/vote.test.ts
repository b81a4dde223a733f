// Decisions by what stories said: pure, the first value of `on` that the vote carries, and unknown wherever that is open.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stepName, storyId } from "../../domain/ids.ts";
import type { StoryEntry } from "../../domain/story.ts";
import { carries, type Vote, voteNames } from "../../domain/vote.ts";
import { decideByVote } from "./vote.ts";

const of = { step: stepName("review"), key: "verdict" };
const vote = (name: "all" | "any" | "majority" | "count", atLeast = 2): Vote =>
  name === "count" ? { vote: name, of, atLeast } : { vote: name, of };

/** Stories that are done; null: one that said nothing. */
const header = (...said: (string | null)[]) => ({
  chain: [],
  stories: said.map(
    (value, index): StoryEntry => ({
      id: storyId(`US-${index + 1}`),
      title: "",
      status: "done",
      dependsOn: [],
      openDependencies: 0,
      said: { of: of.step, values: value === null ? {} : { verdict: value } },
    }),
  ),
});
const values = ["rejected", "approved"];
const decided = (name: Parameters<typeof vote>[0], ...said: (string | null)[]) =>
  decideByVote(header(...said), vote(name), values).value;

describe("a vote of stories", () => {
  test.each([
    ["majority", ["approved", " Approved\n", "rejected"], "approved"],
    ["majority", ["approved", "rejected"], "unknown"],
    ["majority", ["approved", "rejected", "abstain"], "unknown"],
    ["majority", ["approved", "approved", null], "unknown"],
    ["majority", [], "unknown"],
    ["all", ["approved", "approved"], "approved"],
    ["all", ["approved", "rejected"], "unknown"],
    ["all", [], "unknown"],
    ["any", ["approved", "rejected", "approved"], "rejected"],
    ["any", ["approved", "abstain"], "approved"],
    ["any", ["abstain"], "unknown"],
    ["any", ["rejected", null], "unknown"],
    ["count", ["rejected", "approved", "approved", "rejected"], "rejected"],
    ["count", ["rejected", "approved", "approved"], "approved"],
    ["count", ["rejected", "approved"], "unknown"],
  ] as const)("[RD8] %s of %j is %s", (name, said, value) => {
    expect(decided(name, ...said)).toBe(value);
  });

  test("[RD8 RD9] says why, and has who said what as its evidence", () => {
    expect(decideByVote(header("approved", "rejected", "approved"), vote("majority"), values)).toEqual({
      value: "approved",
      why: "the majority of review.*.verdict say approved: rejected 1, approved 2 of 3 stories",
      evidence: [
        { story: "US-1", name: "review.*.verdict", value: "approved" },
        { story: "US-2", name: "review.*.verdict", value: "rejected" },
        { story: "US-3", name: "review.*.verdict", value: "approved" },
      ],
    });
    expect(decideByVote(header("approved", null), vote("any"), values).why).toBe(
      "US-2 did not say review.*.verdict: rejected 0, approved 1 of 2 stories",
    );
    expect(decideByVote(header("approved", "rejected"), vote("majority"), values).why).toBe(
      "no answer has the majority of review.*.verdict: rejected 1, approved 1 of 2 stories",
    );
    expect(decideByVote(header(), vote("all"), values).why).toBe("nobody has said review.*.verdict");
  });

  test("[RD8] never decides for a word that is not there, by two majorities, or over a story that said nothing", () => {
    const words = fc.array(fc.option(fc.constantFrom("approved", "rejected", "other"), { freq: 6 }), { maxLength: 7 });
    fc.assert(
      fc.property(words, fc.constantFrom(...voteNames), (said, name) => {
        const value = decided(name, ...said);
        const count = (word: string) => said.filter((each) => each === word).length;
        const isOpen = said.includes(null) || said.length === 0;
        const fits = {
          all: count(value) === said.length,
          any: count(value) > 0 && (value === "rejected" || count("rejected") === 0),
          count: count(value) >= 2,
          majority: count(value) > said.length / 2,
        };
        return value === "unknown" || (!isOpen && values.includes(value) && fits[name]);
      }),
    );
  });

  test("[RD8] more voices for a word never take it away", () => {
    const voices = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(voices, fc.constantFrom(...voteNames), (said, name) => {
        const asked = (yes: readonly boolean[]) =>
          carries(
            vote(name),
            yes.map((is, index) => ({ story: storyId(`S-${index}`), value: is ? "yes" : "no" })),
            ["yes"],
          );
        return !asked(said) || asked(said.map((is, index) => is || index === 0));
      }),
    );
  });
});
