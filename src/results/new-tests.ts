// Tells which tests a step wrote: those whose name is in the lines that it added. A name that is put together while the tests run is
// not found there.

/** `added`: the lines that the step added, in whatever files. */
export function namedIn(added: string): (test: string) => boolean {
  const words = new Set(added.match(/[\p{L}\p{N}_$]+/gu));
  const isThere = (name: string) => (/^[\p{L}\p{N}_$]+$/u.test(name) ? words.has(name) : added.includes(name));
  return (test) => ownNames(test).some((name) => name.length > 1 && isThere(name));
}

/** What the source of a test may call it: the last part of its path, without parameters, and the function of a subtest in Go. */
function ownNames(test: string): readonly string[] {
  const title = test.split(" > ").at(-1) ?? test;
  const plain = title.replace(/[[(][^[(]*[\])]$/, "").trim();
  const goFunction = /\.((?:Test|Fuzz|Example|Benchmark)[\p{L}\p{N}_]*)(?:\/|$)/u.exec(title)?.[1];
  if (goFunction !== undefined) {
    const subtest =
      title
        .slice(title.indexOf(`.${goFunction}`) + goFunction.length + 2)
        .split("/")
        .at(-1) ?? "";
    return [goFunction, subtest, subtest.replaceAll("_", " ")];
  }
  return [title, plain, plain.split(".").at(-1) ?? ""];
}
