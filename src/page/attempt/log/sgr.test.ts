import { expect, test } from "vitest";
import { plainState, readSgr } from "./sgr.ts";

const esc = "\u001b";
const spansOf = (line: string) => readSgr(line, plainState).spans;

test("[PG66] colours of a terminal become classes, until they are switched off", () => {
  expect(spansOf(`a ${esc}[1;31mred${esc}[22m thin${esc}[0m b`)).toEqual([
    { text: "a ", style: "" },
    { text: "red", style: "ansi-fg-1 ansi-bold" },
    { text: " thin", style: "ansi-fg-1" },
    { text: " b", style: "" },
  ]);
  expect(spansOf(`${esc}[97;104mx${esc}[39my${esc}[m`)).toEqual([
    { text: "x", style: "ansi-fg-15 ansi-bg-12" },
    { text: "y", style: "ansi-bg-12" },
  ]);
  expect(spansOf(`${esc}[38;5;196mx${esc}[38;2;0;120;0my${esc}[48;5;240mz`)).toEqual([
    { text: "x", style: "ansi-fg-9" },
    { text: "y", style: "ansi-fg-2" },
    { text: "z", style: "ansi-fg-2 ansi-bg-8" },
  ]);
});

test("[PG66] a colour holds over the end of a line", () => {
  const { state } = readSgr(`${esc}[32mgreen`, plainState);
  expect(readSgr("still", state).spans).toEqual([{ text: "still", style: "ansi-fg-2" }]);
});

test("[PG66] a link of a terminal is its text, whatever its address", () => {
  const link = `${esc}]8;;javascript:alert(1)${esc}\\click${esc}]8;;${esc}\\ me`;
  expect(
    spansOf(link)
      .map(({ text }) => text)
      .join(""),
  ).toBe("click me");
  expect(spansOf(`${esc}]8;id=1;https://x.example\u0007here${esc}]8;;\u0007`)).toEqual([{ text: "here", style: "" }]);
});

test("[PG66] other controls are seen and do nothing", () => {
  const shown = (line: string) =>
    spansOf(line)
      .map(({ text }) => text)
      .join("");
  expect(shown(`a\rb\u0007${esc}[2K`)).toBe("a^Mb^G^[[2K");
  expect(shown(`${esc}]0;title\u0007`)).toBe("^[]0;title^G");
  expect(shown("x\u202egnp.exe")).toBe("x\\u202egnp.exe");
  expect(shown("a\tb")).toBe("a    b");
  expect(shown(`${esc}[${"1;".repeat(5_000)}mx`)).toBe("x");
});
