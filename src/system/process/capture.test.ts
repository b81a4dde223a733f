import { describe, expect, test } from "vitest";
import { createCapture } from "./capture.ts";

function captured(limitBytes: number, ...chunks: (string | Uint8Array)[]): string {
  const capture = createCapture(limitBytes);
  for (const chunk of chunks) capture.write(Buffer.from(chunk));
  return capture.text();
}

describe("[PS6] captured text", () => {
  test("[PS6] is everything when it fits", () => {
    expect(captured(10)).toBe("");
    expect(captured(10, "01234", "56789")).toBe("0123456789");
  });

  test("[PS6] is head and tail, with the number of bytes between, when it does not fit", () => {
    expect(captured(4, "abcdefgh")).toBe("ab\n[… 4 bytes left out …]\ngh");
    expect(captured(0, "abc")).toBe("\n[… 3 bytes left out …]\n");
    expect(captured(1, "abc")).toBe("a\n[… 2 bytes left out …]\n");
    expect(captured(Number.NaN, "abc")).toBe("\n[… 3 bytes left out …]\n");
  });

  test("[PS6] is the same however the output was cut into chunks", () => {
    const text = Array.from({ length: 100 }, (_, index) => index.toString(36)).join(",");
    for (let limit = 2; limit < 40; limit += 1) {
      const head = text.slice(0, Math.ceil(limit / 2));
      const tail = text.slice(text.length - Math.floor(limit / 2));
      const expected = `${head}\n[… ${text.length - limit} bytes left out …]\n${tail}`;
      for (const size of [1, 2, 3, 7, 50, 1000]) {
        const chunks = text.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
        expect(captured(limit, ...chunks)).toBe(expected);
      }
    }
  });
});

test("[PS13] the cut does not go through a character", () => {
  expect(captured(10, "ääääääääää")).toBe("ää\n[… 12 bytes left out …]\nää");
  expect(captured(10, "🙂🙂🙂🙂🙂")).toBe("🙂\n[… 12 bytes left out …]\n🙂");
});

test("[PS13] a character that arrives in two chunks is one character", () => {
  const [first, second] = Buffer.from("ä");
  expect(captured(10, Uint8Array.of(first ?? 0), Uint8Array.of(second ?? 0))).toBe("ä");
});
