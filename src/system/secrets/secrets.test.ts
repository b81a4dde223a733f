// Secrets in texts and streams: what goes, what stays, and that it does not matter where a stream is cut.

import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSafeId } from "../../domain/ids.ts";
import { environmentSecrets } from "./secrets.ts";

const value = 's3cr3t-välue/with+all "kinds" of\\signs';
const secrets = environmentSecrets({ MY_SECRET: value, OTHER_TOKEN: "hunter22hunter22", HOME: "/home/somebody" });
const none = environmentSecrets({});

/** As a stream that comes in pieces of these lengths. */
function inPieces(data: Uint8Array, lengths: readonly number[], using = secrets): Buffer {
  const redaction = using.stream();
  const out: Uint8Array[] = [];
  let at = 0;
  for (let index = 0; at < data.length; index++) {
    const length = Math.max(1, lengths[index % lengths.length] ?? 1);
    out.push(redaction.push(data.subarray(at, at + length)));
    at += length;
  }
  out.push(redaction.end());
  return Buffer.concat(out);
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("by value", () => {
  test("[SE2 SE5] a value is replaced by the name of its variable, in every form in which it is written", () => {
    const shown = "[secret:MY_SECRET]";
    expect(secrets.redact(`before ${value} after`)).toBe(`before ${shown} after`);
    expect(secrets.redact(JSON.stringify({ text: value }))).toBe(`{"text":"${shown}"}`);
    expect(JSON.parse(secrets.redact(JSON.stringify({ line: JSON.stringify({ text: value }) })))).toEqual({
      line: `{"text":"${shown}"}`,
    });
    expect(secrets.redact(`https://x.invalid/?q=${encodeURIComponent(value)}&r=1`)).toBe(
      `https://x.invalid/?q=${shown}&r=1`,
    );
    expect(secrets.redact(`${value}${value}`)).toBe(`${shown}${shown}`);
  });

  test("[SE2] base64 hides it nowhere: alone, with a line end, behind a user's name", () => {
    for (const text of [value, `${value}\n`, `u:${value}`, `user:${value}`, `me:${value}\n`]) {
      const redacted = secrets.redact(`Basic ${base64(text)}.`);
      expect(redacted).toMatch(/^Basic [\w+/]{0,10}\[secret:MY_SECRET\][\w+/=]{0,4}\.$/);
      expect(secrets.redact(Buffer.from(text).toString("base64url"))).toContain("[secret:MY_SECRET]");
    }
  });

  test("[SE2] a mix of escapes does not hide it: a slash, any letter as its number, percent signs in either case, HTML", () => {
    const plain = "Zx9-verysecret/value+0123456789=abcdef";
    const one = environmentSecrets({ MY_API_KEY: plain, SLASHED_KEY: "a/b+c/defg+hij/klm1op" });
    const inJson = JSON.stringify(plain).slice(1, -1);
    const everyLetter = Array.from(plain, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const spellings = [
      inJson.replaceAll("/", "\\/"),
      inJson.replace("/", "\\u002f"),
      inJson.replace("/", "\\u002F").replace("=", "\\u003d"),
      JSON.stringify(inJson.replace("/", "\\/")).slice(1, -1),
      encodeURIComponent(plain).replace(/%../g, (escape) => escape.toLowerCase()),
      plain.replace("/", "%2F"),
      plain.replace("/", "%2f").replace("+", "\\u002B"),
      new URLSearchParams({ k: plain }).toString().slice(2),
      plain.replace("=", "&#61;").replace("/", "&#x2F;"),
      everyLetter.join(""),
      everyLetter.map((letter) => letter.replace(/..$/, (digits) => digits.toUpperCase())).join(""),
    ];
    for (const spelling of spellings) expect(one.redact(`a ${spelling} z`)).toBe("a [secret:MY_API_KEY] z");
    for (const begin of ["a\\/b+c\\/", "a%2fb%2bc%2F", "a\\u002fb\\u002Bc/"])
      expect(one.redact(`a ${begin}defg+hij/klm1op z`)).toBe("a [secret:SLASHED_KEY] z");
  });

  test("[SE2] base64 that is wrapped into lines is still found, wherever the line ends, also inside JSON", () => {
    for (let before = 40; before < 80; before++) {
      for (const end of ["\n", "\r\n", "\\n", "\n    "]) {
        const wrapped = base64("a".repeat(before) + value).replace(/(.{76})/g, `$1${end}`);
        const redacted = secrets.redact(wrapped);
        expect(redacted).toContain("[secret:MY_SECRET]");
        expect(redacted.replaceAll(/\s|\\n|\[.*?\]/g, "").length).toBeLessThan(base64("a".repeat(before)).length + 9);
      }
    }
  });

  test("[SE2 SE6] colours inside of it do not hide it: the console leaves them out, and it would be whole again", () => {
    const esc = "\u001b";
    const colour = (at: number) => `${value.slice(0, at)}${esc}[1;31m${value.slice(at)}`;
    for (let at = 1; at < value.length; at++) {
      expect(secrets.redact(`a ${colour(at)} z`)).toBe("a [secret:MY_SECRET] z");
      for (const cut of [1, 5])
        expect(inPieces(Buffer.from(`a ${colour(at)} z`), [cut]).toString()).toBe("a [secret:MY_SECRET] z");
    }
    expect(secrets.redact(`${esc}[32m${value}${esc}[0m`)).toBe(`${esc}[32m[secret:MY_SECRET]${esc}[0m`);
  });

  test("[SE2] of a value of several lines each long line is known", () => {
    const lines = [randomBytes(30).toString("hex"), randomBytes(30).toString("hex")];
    const several = environmentSecrets({ DEPLOY_KEY: `begin\n${lines.join("\n")}\nend` });
    expect(several.redact(`1: ${lines[0]}\n2: ${lines[1]}\nbegin`)).toBe(
      "1: [secret:DEPLOY_KEY]\n2: [secret:DEPLOY_KEY]\nbegin",
    );
  });

  test("[SE5] a value that looks like a key is told by its name, and one inside another is one", () => {
    const key = `sk-${"a1B2".repeat(10)}`;
    const known = environmentSecrets({ OPENAI_API_KEY: key, WRAPPED_TOKEN: `pre:${key}:post` });
    expect(known.redact(`use ${key}!`)).toBe("use [secret:OPENAI_API_KEY]!");
    expect(known.redact(`use pre:${key}:post!`)).toBe("use [secret:WRAPPED_TOKEN]!");
  });

  test("[SE5] a variable with a strange name is shown by letters that break nothing", () => {
    const strange = environmentSecrets({ 'npm_config_//x/:_"authToken': "0123456789abcdef" });
    expect(strange.redact("0123456789abcdef")).toBe("[secret:npm_config___x____authToken]");
  });
});

describe("by looks", () => {
  const letters = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kL9nP2rS5";
  const jwt = `${base64('{"alg":"HS256"}').replace(/=+$/, "")}.${base64('{"sub":"1234567890"}').replace(/=+$/, "")}.${letters}`;
  const keys = [
    `sk-${letters}`,
    `sk-ant-api03-${letters}-${letters}`,
    `sk-proj-${letters}`,
    "sk-0123456789abcdef0123456789abcdef",
    `sk_live_${letters}`,
    `ghp_${letters.slice(0, 36)}`,
    `gho_${letters.slice(0, 36)}`,
    `ghs_${letters.slice(0, 36)}`,
    `ghu_${letters.slice(0, 36)}`,
    `github_pat_11ABCDEFG0${letters}_${letters}`,
    `glpat-${letters.slice(0, 20)}`,
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefABCDEF",
    `AIza${letters.slice(0, 35)}`,
    `npm_${letters.slice(0, 36)}`,
    `hf_${letters.slice(0, 34)}`,
    `ya29.a0${letters}`,
    jwt,
  ];

  test.each(keys)("[SE3] %s is a key wherever it stands", (key) => {
    const places = ["KEY=", '"key": "', "see\n", '{"text":"one\\n', "\u001b[32m", "https://", "(", "ü"];
    for (const place of places) expect(none.redact(`${place}${key}" and more`)).toBe(`${place}[secret]" and more`);
  });

  test("[SE3] of a header the word stays and the token goes", () => {
    expect(none.redact(`-H 'Authorization: Bearer ${letters}'`)).toBe("-H 'Authorization: Bearer [secret]'");
    expect(none.redact(`authorization=bearer abc.${letters}~x, next`)).toBe("authorization=bearer [secret], next");
  });

  const body = Array.from({ length: 20 }, () => randomBytes(48).toString("base64"));
  const pem = (kind: string, lines: readonly string[] = body) =>
    `-----BEGIN ${kind}-----\n${lines.join("\n")}\nabcd==\n-----END ${kind}-----`;

  test.each(["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])(
    "[SE3] a block of %s goes whole, as it is and as agents show it",
    (kind) => {
      const block = pem(kind);
      expect(none.redact(`a\n${block}\nb`)).toBe("a\n[secret]\nb");
      expect(none.redact(JSON.stringify({ a: block, b: 1 }))).toBe('{"a":"[secret]","b":1}');
      const numbered = block.split("\n").map((line, index) => `${String(index + 1).padStart(6)}\t${line}`);
      expect(none.redact(`${numbered.join("\n")}\nb`)).toBe("     1\t[secret]\nb");
      const arrows = block.split("\n").map((line, index) => `${String(index + 1).padStart(6)}→${line}`);
      expect(none.redact(JSON.stringify(arrows.join("\n")))).toBe('"     1→[secret]"');
      expect(none.redact(block.replaceAll(/^/gm, "+"))).toBe("+[secret]");
      expect(none.redact(block.split("\n").slice(0, 5).join("\n"))).toBe("[secret]");
    },
  );

  test("[SE3] a legacy key with lines about itself goes whole", () => {
    const about = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123456789ABCDEF", ""];
    expect(none.redact(pem("RSA PRIVATE KEY", [...about, ...body]))).toBe("[secret]");
  });

  test("[SE4] what is no key stays: commits, UUIDs, ids, names, certificates, words about keys", () => {
    const texts = [
      "9fceb02d0ae598e95dc970b74767f19372d61af8",
      "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
      `at-${"k3x".repeat(6)}`,
      randomBytes(18).toString("base64url"),
      '<div class="sk-folding-cube-wrapper sk-circle-fade-dot">',
      "task-sk-1234567890abcdefghij and sk-SK",
      "npm_config_registry npm_lifecycle_event_with_a_long_name_of_ours",
      "Bearer authentication-middleware-required",
      "Bearer $TOKEN, Bearer ${{ secrets.TOKEN }}, Bearer <token>",
      "AKIAIOSFODNN7EXAMPLEAKIAIOSFODNN7EXAMPLE",
      "eyJhbGciOiJIUzI1NiJ9 alone",
      pem("CERTIFICATE"),
      pem("PUBLIC KEY"),
      'grep -r "-----BEGIN PRIVATE KEY-----" .',
      "-----BEGIN PRIVATE KEY-----\nis how a key begins\n",
      "sha512-Iv3CbqZ6fU9y7mYbPzqCVKbL8P1nm4Q3u+vqOQhg6QwYp0X9vFzYw3m2N1k5uQ==",
      "-".repeat(5_000),
    ];
    for (const text of texts) expect(secrets.redact(text)).toBe(text);
  });
});

describe("streams", () => {
  const key = `sk-ant-${randomBytes(30).toString("hex")}`;
  const block = `-----BEGIN PRIVATE KEY-----\n${randomBytes(90).toString("base64")}\n-----END PRIVATE KEY-----`;
  const piece = fc.oneof(
    fc.constantFrom(
      value,
      JSON.stringify(value),
      key,
      block,
      "hunter22hunter22",
      "hunter22",
      "sk-",
      "\\n",
      "eyJ.eyJ.",
      "-----",
    ),
    fc.constantFrom("\n", " ", '"', "Bearer ", "ghp_", "-----BEGIN PRIVATE KEY-----", "Straße 🐾", block.slice(0, 80)),
    fc.string({ maxLength: 20 }),
  );

  test("[SE6] wherever a stream is cut, the same comes out", () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), cuts, (pieces, lengths) => {
        const data = Buffer.from(pieces.join(""));
        const whole = inPieces(data, [data.length || 1]);
        expect(inPieces(data, lengths).toString()).toBe(whole.toString());
        for (const secret of [value, "hunter22hunter22"]) expect(whole.includes(secret)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });

  test("[SE6] bytes in which nothing is secret come out as they are, text or not", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.integer({ min: 1, max: 700 }), (bytes, length) => {
        expect(inPieces(bytes, [length]).equals(bytes)).toBe(true);
      }),
    );
    const large = randomBytes(3_000_000);
    expect(inPieces(large, [65_536]).equals(large)).toBe(true);
  });

  test("[SE6] what is decided goes on at once: a line that has ended is not kept back", () => {
    const redaction = secrets.stream();
    const push = (text: string) => Buffer.from(redaction.push(Buffer.from(text))).toString();
    expect(push("one line\n")).toBe("one line\n");
    expect(push("half a li")).toBe("half a li");
    expect(push("then hunter22hun")).toBe("then ");
    expect(push("gry\n")).toBe("hunter22hungry\n");
    expect(push("-----BEGIN PRIVATE KEY-----\n")).toBe("");
    expect(push("is how it begins\n")).toBe("-----BEGIN PRIVATE KEY-----\nis how it begins\n");
    expect(push("KEY=sk-12")).toBe("KEY=");
    expect(Buffer.from(redaction.end()).toString()).toBe("sk-12");
  });

  test("[SE6] what never ends is not kept for ever", () => {
    const redaction = none.stream();
    const lines = Buffer.from(`${"QUJD".repeat(16)}\n`.repeat(100));
    redaction.push(Buffer.from("-----BEGIN PRIVATE KEY-----\n"));
    let pushed = 0;
    let out = 0;
    for (; pushed < 100_000; pushed += lines.length) out += redaction.push(lines).length;
    expect(pushed - out).toBeLessThan(2 * 16 * 1024);
    expect(none.redact("sk-".repeat(200_000)).length).toBeLessThan(700_000);
  });
});

test("[SE9] every text and every key of a document is looked at; an id stays one", () => {
  const id = "US-hunter22hunter22-1";
  expect(secrets.redactAll({ a: [value, 1, null], [value]: { deep: `x ${value}` } })).toEqual({
    a: ["[secret:MY_SECRET]", 1, null],
    "[secret:MY_SECRET]": { deep: "x [secret:MY_SECRET]" },
  });
  expect(secrets.redactId(id)).toBe("US-secret-OTHER_TOKEN-1");
  expect(isSafeId(secrets.redactId("hunter22hunter22"))).toBe(true);
  expect(secrets.redactId("US-001")).toBe("US-001");
});

test("[SE10] a text tells whose value is in it; what only looks like a key has no name", () => {
  expect(secrets.nameIn(JSON.stringify({ command: `login ${value}` }))).toBe("MY_SECRET");
  expect(secrets.nameIn("AKIAIOSFODNN7EXAMPLE")).toBe(null);
});
