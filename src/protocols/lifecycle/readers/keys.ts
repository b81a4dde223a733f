// What the name of a member says about its value, by its words: `open_gaps`, `criticalCount` and `tests failed` are one thing in many
// spellings. The tables are what agents were seen to write, and what they may.

import { wordSet } from "./words.ts";

/** What a value under such a key must be where everything is well. */
export interface KeyMeaning {
  /** A word for how something ended. */
  readonly isEnd: boolean;
  /** True, or a number above zero: `verified`, `approved`. */
  readonly isGood: boolean;
  /** False, zero or empty. `grave`: critical or blocking. `high`: above medium. `finding`: gaps, issues and their like. */
  readonly trouble: "grave" | "high" | "failed" | "finding" | null;
  /** For its entries, and for texts: `errors`, not `error_class`. */
  readonly isPlural: boolean;
  readonly isSeverity: boolean;
  readonly isTotal: boolean;
  readonly isSkipped: boolean;
  readonly isRate: boolean;
  /** True means that all is well: `no_errors`. */
  readonly isDenial: boolean;
  /** Something else is told there: a name, a claim, what was before. */
  readonly isAside: boolean;
}

const ends = wordSet(
  "status result verdict outcome conclusion overall passed pass verified success ok approved met satisfied state",
  "decision assessment judgement judgment 状态 结果 结论 评审结论",
);
const goods = wordSet(
  "passed pass passes passing verified success successful succeeded ok approved accepted met satisfied fulfilled",
  "complete completed done valid correct works working exists wired substantive substantial connected covered clean",
  "achieved implemented reached proven holds held executed ran green healthy ready compliant confirmed mergeable lgtm releasable shippable 通过",
);
/** They count wherever they stand in a key. */
const failings = wordSet(
  "failed fail fails failing failure failures broken missing unmet unverified untested unresolved unsatisfied",
  "uncovered unapproved rejected blocked violated incomplete unfinished incorrect invalid inconclusive unsuccessful",
  "crashed aborted errored unexplained pending stubbed orphaned misaligned 失败 未通过 缺失 错误",
);
/** They count as the last word of a key: an `error_class` is none. */
const failingNouns = wordSet(
  "error errors exception exceptions rejection rejections veto ko violation violations regression regressions crash crashes stub stubs timeouts todo todos partial",
  "partials rework 失败数 错误数",
);
const findingNouns = wordSet(
  "gap gaps issue issues finding findings problem problems bug bugs defect defects vulnerability vulnerabilities 问题",
  "缺陷 漏洞",
);
const graves = wordSet(
  "critical criticals blocker blockers blocking p0 fatal severe showstopper showstoppers 严重 致命 阻塞",
);
const highs = wordSet("high highs major majors p1");
/** Words of a key that only say that it counts, or lists, or which of them. */
const fillers = wordSet(
  "count counts number num no of n total totals list items item open remaining outstanding found new left the is",
  "are has have all any current known overall test tests case cases check checks scenario scenarios criteria must",
  "haves severity level s ids detected",
);
/** What was before, what was meant, and what is over. */
const past = wordSet(
  "prior previous previously before old older former preexisting historic expected resolved fixed closed cleared",
  "handled ignored allowed tolerated threshold max min limit simulated injected intended example",
);
const asides = wordSet(
  "id ids name title ref type kind category classification dimension area label tag tags file files path paths",
  "claim truth criterion check rule scenario requirement expected actual evidence snippet code command suggestion",
  "recommendation fix input output stdout stderr log quote feature artifact link from to goal method mode slug",
  "where url version hash question steps description impact direction class handling context",
);
const severities = wordSet("severity severities criticality risk level priority rank 严重程度 级别 优先级");
const skips = wordSet("skipped skip skips");
/** Whole keys whose words say something else one by one. */
const demands = wordSet(
  "needs_human needs_review requires_human human_required human_verification_required dry_run timed_out needs_fix needs_fixes needs_fixing needs_work needs_rework needs_changes requires_fix requires_changes",
  "requires_rework changes_requested changes_required fix_required fixes_required rework_required must_fix",
  "action_required retry_required",
);

const known = new Map<string, KeyMeaning>();
const mostKnown = 10_000;

export function keyMeaning(key: string): KeyMeaning {
  const found = known.get(key);
  if (found !== undefined) return found;
  const meaning = read(tokensOf(key));
  if (known.size < mostKnown) known.set(key, meaning);
  return meaning;
}

function read(all: readonly string[]): KeyMeaning {
  const isPast = all.some((word) => past.has(word)) || all.join("_").includes("pre_existing");
  const isDenial = ["no", "zero", "without"].includes(all[0] ?? "") && all[1] !== "of";
  const last = all.at(-1) ?? "";
  const isAside = isPast || asides.has(last);
  const isDenied = all[0] === "not" || (all.length > 1 && all.at(-2) === "not");
  const isGood = !isPast && !isDenied && (goods.has(last) || all[0] === "ready");
  const trouble = isPast ? null : isDenied && goods.has(last) ? "failed" : troubleOf(isDenial ? all.slice(1) : all);
  return {
    isEnd: !isAside && ends.has(last),
    isGood: isGood && trouble === null,
    trouble,
    isPlural:
      all.some((word) => failings.has(word) || graves.has(word) || /s$|\P{ASCII}/u.test(word)) || last === "error",
    isSeverity: !isPast && severities.has(last),
    isTotal: !isPast && trouble === null && !isGood && !all.some((word) => skips.has(word)) && all.includes("total"),
    isSkipped: all.some((word) => skips.has(word)),
    isRate: !isPast && ["rate", "percentage", "percent"].includes(last) && all.some((word) => goods.has(word)),
    isDenial,
    isAside,
  };
}

function troubleOf(all: readonly string[]): KeyMeaning["trouble"] {
  const joined = all.join("_");
  if (demands.has(joined)) return "failed";
  if (
    /^skip\w*_(?:without|no)_|^not_(?:run|tested|executed|started|done|verified|implemented|covered|reached|met|wired|working)|^un\w+_skip/.test(
      joined,
    )
  )
    return "failed";
  const isRest = (word: string) =>
    fillers.has(word) || findingNouns.has(word) || failingNouns.has(word) || /^\d+$/.test(word);
  const isOnly = (words: ReadonlySet<string>) =>
    all.some((word) => words.has(word)) && all.every((word) => words.has(word) || isRest(word) || failings.has(word));
  if (isOnly(graves)) return "grave";
  if (all.some((word) => failings.has(word)) && !asidesAfter(all)) return "failed";
  if (isOnly(highs)) return "high";
  const head = all.findLast((word) => !fillers.has(word)) ?? "";
  if (failingNouns.has(head)) return "failed";
  return findingNouns.has(head) ? "finding" : null;
}

/** `failure_mode` and `failed_reason` tell about a failure and are none; `failed_files` are. */
function asidesAfter(all: readonly string[]): boolean {
  const last = all.at(-1) ?? "";
  return (
    !failings.has(last) && /^(?:mode|modes|reason|handling|class|message|rate|threshold|policy|strategy|at)$/.test(last)
  );
}

/** `openGaps`, `open-gaps` and `Open gaps` have the same words. */
function tokensOf(key: string): readonly string[] {
  return key
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1_$2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
