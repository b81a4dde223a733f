// Plays the files of examples/patterns against their expected traces: what was performed, what was skipped, and how it ended.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { known } from "../../../test/support/protocols.ts";
import { actFor, readScript } from "../../executors/script.ts";
import { loadWorkflow } from "../../workflows/load.ts";
import { type Performance, simulate } from "./simulate.ts";

const folder = new URL("../../../examples/patterns/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");

/** Without a script every step passes, and every question gets its first option. */
function trace(
  name: string,
  change: (script: string) => string = (script) => script,
  answers: Performance["answers"] = [],
) {
  const find = (file: string) => ({ file, text: read(file), roleFolder: "" });
  const { definition, problems } = loadWorkflow(read(`${name}.yml`), `${name}.yml`, known, { plans: true, find });
  if (!definition || problems.length > 0) throw new Error(JSON.stringify(problems));
  const { status, events, unanswered } = simulate(definition, "the task", { play: playOf(name, change), answers });
  const path = events.flatMap((event) => {
    const where = event.story === null ? "" : `${event.story}/`;
    if (event.type === "attempt_dispatched") return [`${where}${event.name}${event.part ? `.${event.part}` : ""}`];
    if (event.type === "gate_opened") return [`${where}${event.gate.step}?`];
    if (event.type === "part_ended" && event.end.status === "stopped") return [`-${event.step}.${event.part}`];
    return event.type === "steps_skipped" ? [`-${where}${event.steps.join(` -${where}`)}`] : [];
  });
  return [...path, unanswered ?? status].join(" ");
}

function playOf(name: string, change: (script: string) => string): Performance["play"] {
  if (!existsSync(new URL(`${name}.script.yml`, folder))) return "well";
  const script = readScript(change(read(`${name}.script.yml`)), name);
  return (cue) => {
    const act = actFor(script, cue);
    return act && { text: act.say ?? "", exit: act.exit ?? 0 };
  };
}

const traces: Readonly<Record<string, string>> = {
  "01-sequence": "plan build ship done",
  "02-parallel-split": "plan look.code look.docs done",
  "03-synchronization": "look.code look.docs build done",
  "05-simple-merge": "triage -quick careful commit done",
  "07-structured-synchronizing-merge": "choose look.speed look.style sum done",
  "08-multi-merge": "plan A/kind A/reproduce -A/design A/log B/kind -B/reproduce B/design B/log done",
  "09-structured-discriminator": "find.blame find.bisect fix done",
  "10-arbitrary-cycles": "design build test review build test design build test review done",
  "11-implicit-termination": "build -document done",
  "12-instances-without-synchronization": "find start start tell done",
  "15-instances-without-a-priori-knowledge": "find A/fix more find B/fix more done",
  "16-deferred-choice": "deployed? announce -roll_back done",
  "17-interleaved-parallel-routing": "plan docs/work api/work ui/work done",
  "18-milestone": "build window -deploy tell done",
  "19-cancel-task": "look.fast -look.thorough fix done",
  "20-cancel-case": "look failed",
  "22-recursion": "split left again done",
  "23-transient-trigger": "build now? deploy done",
  "24-persistent-trigger": "build approved? deploy done",
  "25-cancel-region": "build check.trivial -check.security -check.speed ship done",
  "26-cancel-instances": "look.licences -look.secrets -look.exports -publish tell done",
  "27-complete-instances": "names read.wiki read.tickets -read.chat sum done",
  "29-cancelling-discriminator": "find.blame -find.bisect -find.logs fix done",
  "30-structured-partial-join": "review.security review.speed review.style ship done",
  "32-cancelling-partial-join": "review.security review.speed -review.style ship done",
  "33-generalized-and-join": "build look.code look.docs judge build look.code look.docs judge done",
  "34-static-partial-join-of-instances": "names read.core read.cli read.docs sum done",
  "35-cancelling-partial-join-of-instances": "names prove.race prove.leak -prove.overflow fix done",
  "36-dynamic-partial-join-of-instances": "find A/note B/note enough find C/note enough sum done",
  "39-critical-section": "build migrate deploy done",
  "40-interleaved-routing": "plan A/work B/work done",
  "41-thread-merge": "plan A/work B/work notes done",
  "42-thread-split": "split A/build A/test B/build B/test done",
};

test.each(Object.entries(traces))("[IN11] pattern %s is played as it is written", (name, expected) => {
  expect(trace(name)).toBe(expected);
});

test("[IN11] the other choice of a pattern is played, too", () => {
  const late = [{ step: "deployed", option: "late" }];
  expect(trace("16-deferred-choice", undefined, late)).toBe("deployed? -announce roll_back done");
  expect(trace("20-cancel-case", (script) => script.replace("obsolete", "wanted"))).toBe("look work done");
  const careful = (script: string) => script.replace("TRIVIAL: yes", "TRIVIAL: no");
  expect(trace("25-cancel-region", careful)).toBe("build check.trivial check.security check.speed ship done");
});

test("[IF1 IF3] exclusive choice: one way by the key, and the ways join again", () => {
  expect(trace("04-exclusive-choice")).toBe("triage -reproduce design work answer done");
  const asked = (script: string) => script.replace("Feature", "question");
  expect(trace("04-exclusive-choice", asked)).toBe("triage -reproduce -design -work answer done");
});

test("[PR44 PR45 IF1] multi-choice: the keys that a command prints choose any number of ways", () => {
  expect(trace("06-multi-choice")).toBe("changed spelling -tests notes done");
  const silent = (script: string) => script.replace("\\nCODE: no", "");
  expect(trace("06-multi-choice", silent)).toBe("changed changed changed failed");
});

test("[RT17 OU12] explicit termination: a run with nothing to do is done, and so is a story", () => {
  expect(trace("43-explicit-termination")).toBe("look US-1/check -US-1/mend US-2/check US-2/mend report done");
  const nothing = (script: string) => script.replace("FOUND: something", "FOUND: nothing");
  expect(trace("43-explicit-termination", nothing)).toBe("look -each -report done");
});

test("[IF2] structured loop: going back brings the skipped step to life, once for each round", () => {
  expect(trace("21-structured-loop")).toBe("-debug work review debug work review done");
  const stubborn = (script: string) => script.replace("VERDICT: ok", "VERDICT: fix");
  expect(trace("21-structured-loop", stubborn)).toBe(
    "-debug work review debug work review debug work review review? held",
  );
});

test("[PT4 PT6 PT12 RD8] three reviewers: one that crashed is repeated alone, and two of three carry the vote", () => {
  const looked = "build review.security review.performance review.style review.style vote";
  expect(trace("13-three-reviewers")).toBe(`${looked} ship done`);
  const refused = (script: string) => script.replace("VERDICT: approved", "VERDICT: rejected");
  const again = looked.replace("review.style review.style", "review.style");
  expect(trace("13-three-reviewers", refused)).toBe(`${looked} ${again} ${again} vote? held`);
  const no = (script: string) =>
    script.replaceAll("STATUS: done\\nVERDICT: approved", "STATUS: retry\\nVERDICT: approved");
  expect(trace("13-three-reviewers", no)).toMatch(
    /^build( review\.\w+)+ build( review\.\w+)+ build( review\.\w+)+ failed$/,
  );
});

test("[RD8 IF6 OU12] majority vote: two of three are enough, and the one that said no is answered", () => {
  const looked = "aspects security/look speed/look style/look";
  expect(trace("14-majority-vote")).toBe(`${looked} vote objections ship done`);
  const united = (script: string) => script.replace("VERDICT: rejected", "VERDICT: approved");
  expect(trace("14-majority-vote", united)).toBe(`${looked} vote -objections ship done`);
  const refused = (script: string) => script.replace("VERDICT: approved", "VERDICT: rejected");
  expect(trace("14-majority-vote", refused)).toBe(`${looked} vote vote? held`);
  expect(trace("14-majority-vote", refused, [{ step: "vote", option: "stop" }])).toBe(`${looked} vote vote? failed`);
  // No word has the majority: a person says what the vote is.
  const unclear = (script: string) => script.replace("VERDICT: approved", "VERDICT: unsure");
  expect(trace("14-majority-vote", unclear)).toBe(`${looked} vote vote? held`);
  expect(trace("14-majority-vote", unclear, [{ step: "vote", option: "approved" }])).toBe(
    `${looked} vote vote? objections ship done`,
  );
});

test("[IN11] every pattern has a file, a line in the guide and a test here, but for those that are not meaningful", () => {
  const files = readdirSync(folder).filter(
    (file) => /^\d\d-.*(?<!\.script)\.yml$/.test(file) && file !== "25-region.yml",
  );
  const tested = readFileSync(fileURLToPath(import.meta.url), "utf8");
  const guide = readFileSync(new URL("../../docs/guides/patterns.md", folder), "utf8");
  const names = files.map((file) => file.replace(".yml", ""));
  expect(names.filter((name) => !tested.includes(`"${name}"`) || !guide.includes(`patterns/${name}.yml`))).toEqual([]);
  const numbers = new Set(names.map((name) => Number(name.slice(0, 2))));
  const all = Array.from({ length: 43 }, (_, index) => index + 1);
  expect(all.filter((number) => !numbers.has(number))).toEqual([28, 31, 37, 38]);
});
