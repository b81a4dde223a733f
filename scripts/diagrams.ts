// Writes every picture of the documents that comes from the code; with `--check` it fails when one is stale.

await import("../docs/spec/diagrams.ts");
await import("./architecture.ts");
