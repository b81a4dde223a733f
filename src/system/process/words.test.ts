import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { splitWords } from "./words.ts";

const split = (text: string) => {
  const result = splitWords(text);
  return result.ok ? result.words : result;
};

test("[PS14] a command line is split where a shell splits it", () => {
  expect(split("  claude  -p\t--model x ")).toEqual(["claude", "-p", "--model", "x"]);
  expect(split(`agent --say 'a "b" c' "d 'e' f" g\\ h`)).toEqual(["agent", "--say", `a "b" c`, "d 'e' f", "g h"]);
  expect(split(`a'b'"c"d ''`)).toEqual(["abcd", ""]);
  expect(split("")).toEqual([]);
  expect(split("a \\\n b\nc\\\nd \"e\\\nf\" 'g\\\nh'")).toEqual(["a", "b", "cd", "ef", "g\\\nh"]);
});

test("[PS14] nothing is expanded: no shell will see it", () => {
  expect(split('$HOME *.ts ~ `id` | > "$(id)"')).toEqual(["$HOME", "*.ts", "~", "`id`", "|", ">", "$(id)"]);
});

test("[PS14] a quote that is never closed is an error that says where", () => {
  expect(split("agent 'oops")).toEqual({ ok: false, message: "the quote ' is never closed", at: 6 });
  expect(split('agent "oops\\"')).toEqual({ ok: false, message: 'the quote " is never closed', at: 6 });
});

test("[PS14] words are those of the real shell, for every text of up to four difficult characters", () => {
  const characters = ["a", " ", "\t", "'", '"', "\\"];
  let texts = [""];
  for (let length = 1; length <= 4; length += 1)
    texts = [
      ...texts,
      ...texts.filter((text) => text.length === length - 1).flatMap((text) => characters.map((next) => text + next)),
    ];
  // Each text is a command line of its own: `eval` fails on an open quote and says so.
  const script = `count() { printf '%s' "$#"; [ $# = 0 ] || printf '\\1%s' "$@"; }
    for text; do words=$( (eval "count $text") 2>/dev/null && echo .) && printf '%s\\2' "$words" || printf 'open\\2'; done`;
  const answers = spawnSync("/bin/sh", ["-c", script, "sh", ...texts], { encoding: "utf8" }).stdout.split("\x02");
  const ours = texts.map((text) => {
    const result = splitWords(text);
    return result.ok ? `${[result.words.length, ...result.words].join("\x01")}.` : "open";
  });
  expect(ours).toEqual(answers.slice(0, -1));
});
