// What a person did who gets an error of YAML: the parser names its own state, which helps no author.

export interface YamlAdvice {
  readonly message: string;
  readonly expected: string;
  readonly hint: string;
}

interface YamlError {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

const known: Readonly<Record<string, readonly [expected: string, hint: string]>> = {
  DUPLICATE_KEY: ["each key once in a map", "remove one of the two, or rename it"],
  TAB_AS_INDENT: ["spaces", "indent with spaces, never with tabs"],
  MULTIPLE_DOCS: ["one document in the file", "remove the `---` between the two"],
  RESOURCE_EXHAUSTION: ["at most 40 levels", "flatten the file"],
  BAD_DQ_ESCAPE: ["an escape that YAML knows", "between double quotes a backslash is written twice: `\\\\`"],
  BAD_SCALAR_START: ["a text in quotes", "put the text between quotes: this character means something to YAML"],
};

export function adviceFor(text: string, error: YamlError): YamlAdvice {
  const line = lineAt(text, error.pos[0]);
  return (
    colonInText(line, error) ??
    colonInFlow(text, error) ??
    bareTemplate(line) ??
    bareStar(line) ??
    wrongIndent(text, line, error) ??
    openEnd(error) ?? {
      message: `not valid YAML: ${error.message}`,
      expected: known[error.code]?.[0] ?? "valid YAML 1.2",
      hint: known[error.code]?.[1] ?? "check the indentation and the quotes around this line",
    }
  );
}

/** `input: Reply with STATUS: done` */
function colonInText({ text }: Line, { code }: YamlError): YamlAdvice | null {
  const [, key, value = ""] = /^\s*(?:- )?([\w-]+):\s+([^\s"'|>[{&*!].*:(?:\s.*|$))/.exec(text) ?? [];
  if (code !== "BLOCK_AS_IMPLICIT_KEY" || key === undefined) return null;
  const advice = unquotedColon(key, value);
  return { ...advice, hint: `${advice.hint}, or put the text below \`${key}: |\`` };
}

/** `{ id: one, input: Reply with STATUS: done }` */
function colonInFlow(text: string, { code, pos }: YamlError): YamlAdvice | null {
  const key = /([\w-]+):\s+$/.exec(text.slice(0, pos[0]))?.[1];
  return code !== "BLOCK_IN_FLOW" || key === undefined ? null : unquotedColon(key, text.slice(...pos));
}

function unquotedColon(key: string, value: string): YamlAdvice {
  return {
    message: `the text of \`${key}\` has a colon, so YAML reads a second key in it`,
    expected: "a text with a colon in quotes",
    hint: `write \`${quoted(key, value)}\``,
  };
}

function quoted(key: string, value: string): string {
  return `${key}: "${value.trim().replaceAll('"', '\\"')}"`;
}

/** `input: {{task}} and more`, also in a map on one line. */
function bareTemplate({ text }: Line): YamlAdvice | null {
  const inBlock = /^\s*(?:- )?([\w-]+):\s+(\{\{.*)$/.exec(text);
  const [, key, value = ""] = inBlock ?? /[{,]\s*([\w-]+):\s+(\{\{[^{}]*\}\}[^,}]*)/.exec(text) ?? [];
  if (key === undefined) return null;
  return {
    message: `the text of \`${key}\` begins with braces, so YAML reads a map`,
    expected: "a text that begins with `{{` in quotes",
    hint: `write \`${quoted(key, value)}\``,
  };
}

/** `cron: * 3 * * *` */
function bareStar({ text }: Line): YamlAdvice | null {
  const [, cron = ""] = /(?:^|[\s{,])cron:\s+(\*[^"',}#]*)/.exec(text) ?? [];
  if (cron === "") return null;
  return {
    message: "the text of `cron` begins with a star, so YAML reads a reference",
    expected: "a text that begins with `*` in quotes",
    hint: `write \`cron: "${cron.trim()}"\``,
  };
}

const indentCodes = [
  "MISSING_CHAR",
  "BLOCK_AS_IMPLICIT_KEY",
  "MULTILINE_IMPLICIT_KEY",
  "BAD_INDENT",
  "UNEXPECTED_TOKEN",
];

function wrongIndent(text: string, line: Line, { code, message }: YamlError): YamlAdvice | null {
  if (!indentCodes.includes(code) || /quote|end with a/.test(message)) return null;
  // The parser points at the value that it could not end, one line above the line that is wrong.
  const below = lineAt(text, line.end + 1);
  const before = lineBefore(text, line);
  const here = indentOf(line.text) > 0 || before !== null ? line : below;
  const pairs: readonly (readonly [Line | null, Line])[] = [
    [before, here],
    [line, below],
  ];
  const wrong = pairs.find(
    ([above, next]) => above !== null && next.text.trim() !== "" && isOff(above.text, next.text),
  );
  if (!wrong?.[0]) return null;
  const [above, next] = wrong;
  return {
    message: `wrong indentation: \`${short(next.text)}\` begins in column ${indentOf(next.text) + 1}, \`${short(above.text)}\` above it in column ${keyColumn(above.text) + 1}`,
    expected: "fields of one map in the same column",
    hint: `indent it with ${keyColumn(above.text)} spaces if both belong together`,
  };
}

/** A field that is neither beside the one above it nor clearly in or out of it. */
function isOff(above: string, next: string): boolean {
  const isField = /^\s*(?:- )?[\w-]+:(?:\s|$)/;
  if (!isField.test(above) || !isField.test(next)) return false;
  const opens = /:\s*$/.test(above);
  const [column, indent] = [keyColumn(above), indentOf(next)];
  return opens ? indent < column && indent !== indentOf(above) : indent !== column;
}

function openEnd({ message }: YamlError): YamlAdvice | null {
  const [, missing] = /closing (.)quote|end with a (.)/.exec(message) ?? [];
  if (missing === undefined && !/end with a/.test(message)) return null;
  const sign = missing ?? message.at(-1) ?? "";
  return {
    message: `not valid YAML: ${sign === "}" || sign === "]" ? "a bracket" : "a quote"} is not closed`,
    expected: `\`${sign}\` at the end`,
    hint: `look for the one that opens before this line, and close it with \`${sign}\``,
  };
}

interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function lineAt(text: string, offset: number): Line {
  const at = Math.min(offset, text.length);
  // `lastIndexOf` takes a negative place for 0, and would find a line break there.
  const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  const end = next < 0 ? text.length : next;
  return { text: text.slice(start, end), start, end };
}

/** The nearest line above that says something. */
function lineBefore(text: string, { start }: Line): Line | null {
  for (let from = start; from > 0; ) {
    const line = lineAt(text, from - 1);
    if (line.text.trim() !== "" && !line.text.trim().startsWith("#")) return line;
    from = line.start;
  }
  return null;
}

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

/** Where the field begins: behind the `- ` of a list. */
function keyColumn(line: string): number {
  return /^ *(?:- +)?/.exec(line)?.[0].length ?? 0;
}

function short(line: string): string {
  const text = line.trim();
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
