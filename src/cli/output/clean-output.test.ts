import { expect, test } from "vitest";
import { cleanOutput, guardStream, ownEscape } from "./clean-output.ts";

const evil = "a\u001b]0;PWNED\u0007b\u001b[2J\u009b31mc\u202ed\u0085e\rf\u007f\u2028g\u{e0041}";

test("[CM80] controls, C1, direction marks and invisible tags become numbers; tabs, lines and colours of ours stay", () => {
  expect(cleanOutput(evil)).toBe(
    "a\\u001b]0;PWNED\\u0007b\\u001b[2J\\u009b31mc\\u202ed\\u0085e\\u000df\\u007f\\u2028g\\udb40\\udc41",
  );
  expect(cleanOutput("one\r\n\ttwo \u001b[1;31mred\u001b[0m ünïcödé 日本 👍🏽\n")).toBe(
    "one\n\ttwo red ünïcödé 日本 👍🏽\n",
  );
  expect(cleanOutput(`${ownEscape("[1m")}bold${ownEscape("[0m")}`)).toBe("\u001b[1mbold\u001b[0m");
  expect(JSON.parse(cleanOutput(JSON.stringify({ evil })))).toEqual({ evil });
});

test("[CM80] a character that is cut between two writes is seen, and bytes that are no text are not passed on", () => {
  const out: string[] = [];
  const stream = {
    write: (chunk: string | Uint8Array) => out.push(Buffer.from(chunk as string).toString("latin1")) > 0,
  };
  const guard = guardStream(stream);
  const bytes = Buffer.from("x\u202ey\u009bz");
  for (const byte of bytes) stream.write(Uint8Array.of(byte));
  stream.write(Uint8Array.of(0x9b, 0x33, 0x31, 0x6d));
  stream.write("end");
  expect(out.join("")).not.toMatch(/[\u0080-\u009f]/);
  expect(Buffer.from(out.join(""), "latin1").toString()).toContain("x\\u202ey\\u009bz");
  guard.raw(Uint8Array.of(0x1b));
  expect(out.at(-1)).toBe("\u001b");
  guard.remove();
  stream.write("\u001b");
  expect(out.at(-1)).toBe("\u001b");
});
