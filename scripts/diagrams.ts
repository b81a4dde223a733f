// Writes every picture in the documents that is generated from the code; with `--check` it fails when one is stale.

await import("../docs/spec/diagrams.ts");
await import("./architecture.ts");
