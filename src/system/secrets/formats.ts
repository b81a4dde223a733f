// Formats of keys. Owns: what the keys of well-known services look like, so that one which is in no variable of ours is known all the
// same. What is no key (commits, UUIDs, ids, names of classes) must not look like one.
//
// Texts are bytes, one character each: a key is ASCII, and whatever stands around it stays as it is.

export interface Format {
  readonly beginnings: readonly string[];
  /** What it goes on with: the first other character ends it. */
  readonly letters: RegExp;
  /** A character that, right before a beginning, makes it the middle of something else. */
  readonly inside: RegExp;
  /** The key, in a text that ends with its letters; with a group, that part of it. */
  readonly whole: RegExp;
  /** Whether more letters could make a key of this, or a longer one. */
  readonly open: RegExp;
  /** So many characters decide. */
  readonly longest: number;
}

const longestToken = 4 * 1024;
const longestKey = 16 * 1024;
const anything = /(?:)/;

function token(beginnings: readonly string[], letters: RegExp, whole: RegExp, more: Partial<Format> = {}): Format {
  return { beginnings, letters, inside: letters, whole, open: anything, longest: longestToken, ...more };
}

/** What stands between two lines of a key, also where a file was shown with numbers, inside JSON, or (with +) in a diff. */
const gap = String.raw`(?:\s|\\[nrt])*(?:\d+(?:\t|\\t|\xe2\x86\x92|[:|])[ \t]*)?`;
const letter = "[A-Za-z0-9+/=]";
const named = String.raw`[A-Za-z-]+: [\w ,./+=:()@<>-]+(?=[\r\n]|\\[nr]|$)`;
const lines = `(?:${gap}(?:${letter}{16,}(?!${letter})|${named}))`;
const lastLine = `(?:${gap}${letter}{1,15}(?=${gap}[+]?-----END))?`;
const ended = "[+]?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----";
/** The half of a gap, of a line, of the last line. */
const half = String.raw`${gap}(?:\\|\d+\\?|\d+\xe2\x86?|${letter}{0,15}${gap}\\?[+]?(?:-{1,5}|-----E|-----EN|-----END[A-Z0-9 ]*-{0,4})?|[A-Za-z-]+:? ?)`;

/** A key that was cut off is one, too. A first line alone is none: people search for it. */
const privateKey: Format = {
  beginnings: ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "]
    .map((kind) => `-----BEGIN ${kind}PRIVATE KEY-----`)
    .concat("-----BEGIN PGP PRIVATE KEY BLOCK-----"),
  letters: /[\w\s\\+/=:|,.()@<>\xe2\x86\x92-]/,
  inside: /(?!)/,
  whole: new RegExp(`^-----BEGIN [A-Z ]+-----(?:${lines}+${lastLine}(?:${gap}${ended})?|${gap}${ended})`),
  open: new RegExp(`^-----BEGIN [A-Z ]+-----${lines}*(?:${half})?$`),
  longest: longestKey,
};

export const formats: readonly Format[] = [
  // Classes of style sheets (sk-folding-cube-wrapper) have no part of sixteen letters.
  token(["sk-"], /[\w-]/, /^sk-(?=[\w-]{17})(?:ant-|(?=(?:\w*-)*\w{16}))[\w-]+/),
  token(["sk_live_", "sk_test_", "rk_live_", "rk_test_"], /\w/, /^[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/),
  token(["ghp_", "gho_", "ghs_", "ghu_", "ghr_"], /\w/, /^gh[oprsu]_[A-Za-z0-9]{30,}/),
  token(["github_pat_"], /\w/, /^github_pat_\w{22,}/),
  token(["glpat-"], /[\w.-]/, /^glpat-[\w.-]{20,}/),
  token(["AKIA", "ASIA"], /\w/, /^A[KS]IA[A-Z0-9]{16}$/),
  token(["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"], /[\w-]/, /^xox[a-z]-(?=[\w-]*\d)[\w-]{10,}/),
  token(["AIza"], /[\w-]/, /^AIza[\w-]{30,}/),
  token(["npm_"], /\w/, /^npm_[A-Za-z0-9]{30,}$/),
  token(["eyJ"], /[\w.-]/, /^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/, { longest: longestKey }),
  // With a digit: what follows in "Bearer authentication-middleware" is a word.
  token(["Bearer ", "bearer "], /[\w.~+/=-]/, /^[Bb]earer (?=\D*\d)(.{20,})/, { inside: /\w/ }),
  privateKey,
];
