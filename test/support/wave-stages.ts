// A table of stages whose verification runs beside other skills, in one wave: the bundled one, with stages of no use before `verify`.

/** `input`: the call of each stage, by its name. */
export function withWave(bundled: string, stages: Readonly<Record<string, string>>): string {
  const [first = "verify"] = Object.keys(stages);
  const agents = Object.keys(stages).map((name) => `  acme-${name}:\n    name: ${name}\n`);
  const blocks = Object.entries(stages).map(
    ([name, input]) => `      - id: ${name}
        title: ${name}
        agent: acme-${name}
        summary: true
        expects: "STATUS: done"
        timeout: 1h
        on: *rejected
        on_error: *hold
        input: ${input}
`,
  );
  return bundled
    .replace(/^agents:\n/m, `agents:\n${agents.join("")}`)
    .replaceAll("{ go_to: verify }", `{ go_to: ${first} }`)
    .replace("      - id: verify\n", `${blocks.join("")}      - id: verify\n`);
}
