// How a part of the work ended, by a text about it: `verified`, `0 errors`, `not run`, `未通过`.

/** `fail*` stands for every word that begins so. */
function table(...lines: readonly string[]): RegExp {
  return new RegExp(`^(?:${lines.join(" ").replaceAll(" ", "|").replaceAll("*", "\\w*")})$`);
}

export type End = "good" | "bad" | "open" | "none";

const goodWords = table(
  "pass* ok okay true yes verified exist exists wired covered complete completed completes done clean real fixed",
  "resolved closed met satisfied fulfilled success* succeed* green good fine correct valid approved accepted work",
  "works working confirmed present found implemented connected linked substantive substantial created added",
  "modified updated unchanged renamed removed new active ready compliant checked reviewed merged available enabled",
  "tested aligned healthy all warn warning achieved integrated built compiled generated written stable",
);
const badWords = table(
  "fail* error errors errored broken block blocks blocked blocking blocker blockers reject* missing regress* crash*",
  "violat* critical incorrect invalid wrong false denied unsuccessful unmet unsatisfied unapproved red nok gap gaps",
  "issue issues bug bugs defect defects problem problems disapproved bad poor insufficient absent stub stubs",
  "stubbed orphaned refused fatal",
);
const openWords = table(
  "partial* skip* pending todo tbd untested unverified unknown unclear undetermined deferred postponed incomplete",
  "unfinished progress inconclusive waiting awaiting running started planned draft na wip timeout timed aborted",
  "cancel* interrupted but except almost mostly some not no cannot never nt without neither none nothing hardly",
  "barely half maybe likely probably should flaky uncertain need needs require requires required remaining",
);
const badChinese = /失败|未通过|不通过|没有?通过|不合格|错误|阻塞|拒绝|缺失|缺少|缺陷|异常|不正确|[❌✗✘✖⛔🔴🛑👎]/u;
const openChinese = /[未待没]|跳过|部分|进行中|不/u;
const goodChinese = /通过|成功|完成|正常|验证|合格|修复|存在|覆盖|[✅✓✔🟢👍]/u;
const noTrouble =
  /\b(?:no|zero|0|none|without)\s+(?:(?:test|tests|known|new|open|critical|lint|type|build|other)\s+)?(?:fail(?:ed|ures?|ing)?|errors?|gaps?|issues?|bugs?|problems?|regressions?|blockers?|violations?|defects?|skipped|missing)\b|(?:无|没有|0\s*个?)\s*(?:失败|错误|缺陷|异常|问题)/g;

/** How something ended, by a text about it. Every word counts: what is taken back, negated or left open did not end well. */
export function endOf(text: string): End {
  const plain = text.toLowerCase().replace(/[_-]+/g, " ").replaceAll("n't", " not");
  const rest = plain.replace(noTrouble, " ok ").replace(/\b([1-9]\d*)\s*(?:\/|of)\s*\1\b/g, " ok ");
  const words = rest.match(/[a-z]+/g) ?? [];
  const says = (one: RegExp, signs: RegExp) => words.some((word) => one.test(word)) || signs.test(rest);
  if (says(badWords, badChinese) || /\b0\s+(?:of\s+\d+\s+)?(?:pass|verif|met)/.test(rest) || isPartOf(rest))
    return "bad";
  if (says(openWords, openChinese)) return "open";
  return says(goodWords, goodChinese) ? "good" : "none";
}

/** `12 passed, 3 failed`, `4 errors` */
export function countsTrouble(text: string): boolean {
  return /(?<![\w.])[1-9]\d*\s+(?:tests?\s+|checks?\s+)?(?:failed|failing|failures?|errors?|blockers?|regressions?)\b/i.test(
    text,
  );
}

/** `2/7` or `2 of 7`: less than everything. `0/0` is nothing. */
export function isPartOf(text: string): boolean {
  return [...text.matchAll(/(?<![\d./-])(\d+)\s*(?:\/|of|out of)\s*(\d+)(?![\d./-])/g)].some(
    ([, part, whole]) => Number(part) < Number(whole) || Number(whole) === 0,
  );
}
