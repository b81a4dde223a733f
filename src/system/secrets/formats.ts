// Formats of keys. Owns: what the keys of well-known services look like, so that keys in no variable of Pawl are found too. Other texts
// (commits, UUIDs, ids, names of classes) must not match.
//
// Each character of a text is one byte: a key is ASCII, and the text around it is not changed.

export interface KeyFormat {
  readonly prefixes: readonly string[];
  /** The characters of the key after the prefix: the first other character ends it. */
  readonly letters: RegExp;
  /** A character that must not be right before the prefix, because then it is the middle of something else. */
  readonly inside: RegExp;
  /** Matches the key in a text that ends with its letters; with a group, only that part is the key. */
  readonly whole: RegExp;
  /** Whether more letters could make this a key, or a longer one. */
  readonly open: RegExp;
  /** So many characters suffice to decide. */
  readonly longest: number;
}

const longestToken = 4 * 1024;
const longestKey = 16 * 1024;
const anything = /(?:)/;

function token(prefixes: readonly string[], letters: RegExp, whole: RegExp, more: Partial<KeyFormat> = {}): KeyFormat {
  return { prefixes, letters, inside: letters, whole, open: anything, longest: longestToken, ...more };
}

/** What may be between two lines of a key, also in a file with line numbers, inside JSON, or (with +) in a diff. */
const gap = String.raw`(?:\s|\\[nrt])*(?:\d+(?:\t|\\t|\xe2\x86\x92|[:|])[ \t]*)?`;
const letter = "[A-Za-z0-9+/=]";
const named = String.raw`[A-Za-z-]+: [\w ,./+=:()@<>-]+(?=[\r\n]|\\[nr]|$)`;
const lines = `(?:${gap}(?:${letter}{16,}(?!${letter})|${named}))`;
const lastLine = `(?:${gap}${letter}{1,15}(?=${gap}[+]?-----END))?`;
const ended = "[+]?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----";
/** A part of a gap, of a line, or of the last line. */
const half = String.raw`${gap}(?:\\|\d+\\?|\d+\xe2\x86?|${letter}{0,15}${gap}\\?[+]?(?:-{1,5}|-----E|-----EN|-----END[A-Z0-9 ]*-{0,4})?|[A-Za-z-]+:? ?)`;

/** A key that was cut off counts too. A first line alone does not: people search for it. */
const privateKey: KeyFormat = {
  prefixes: ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "]
    .map((kind) => `-----BEGIN ${kind}PRIVATE KEY-----`)
    .concat("-----BEGIN PGP PRIVATE KEY BLOCK-----"),
  letters: /[\w\s\\+/=:|,.()@<>\xe2\x86\x92-]/,
  inside: /(?!)/,
  whole: new RegExp(`^-----BEGIN [A-Z ]+-----(?:${lines}+${lastLine}(?:${gap}${ended})?|${gap}${ended})`),
  open: new RegExp(`^-----BEGIN [A-Z ]+-----${lines}*(?:${half})?$`),
  longest: longestKey,
};

export const formats: readonly KeyFormat[] = [
  // Class names of style sheets (sk-folding-cube-wrapper) have no part of sixteen letters.
  token(["sk-"], /[\w-]/, /^sk-(?=[\w-]{17})(?:ant-|(?=(?:\w*-)*\w{16}))[\w-]+/),
  token(["sk_live_", "sk_test_", "rk_live_", "rk_test_"], /\w/, /^[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/),
  token(["ghp_", "gho_", "ghs_", "ghu_", "ghr_"], /\w/, /^gh[oprsu]_[A-Za-z0-9]{30,}/),
  token(["github_pat_"], /\w/, /^github_pat_\w{22,}/),
  token(["glpat-"], /[\w.-]/, /^glpat-[\w.-]{20,}/),
  token(["AKIA", "ASIA"], /\w/, /^A[KS]IA[A-Z0-9]{16}$/),
  token(["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"], /[\w-]/, /^xox[a-z]-(?=[\w-]*\d)[\w-]{10,}/),
  token(["AIza"], /[\w-]/, /^AIza[\w-]{30,}/),
  token(["hf_"], /\w/, /^hf_[A-Za-z0-9]{30,}$/),
  token(["ya29."], /[\w.-]/, /^ya29\.[\w-]{20,}/),
  token(["npm_"], /\w/, /^npm_[A-Za-z0-9]{30,}$/),
  token(["pawl_"], /[\w-]/, /^pawl_[\w-]{43}$/),
  token(["eyJ"], /[\w.-]/, /^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/, { longest: longestKey }),
  // Needs a digit: "Bearer authentication-middleware" is followed by a word.
  token(["Bearer ", "bearer "], /[\w.~+/=-]/, /^[Bb]earer (?=\D*\d)(.{20,})/, { inside: /\w/ }),
  privateKey,
];
