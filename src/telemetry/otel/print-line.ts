// One line of JSON on stderr, for `OTEL_TRACES_EXPORTER=console` and its like.

export function printLine(document: object): void {
  process.stderr.write(`${JSON.stringify(document)}\n`);
}
