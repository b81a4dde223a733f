// The hash by which texts and files are compared. Owns: `node:crypto`, loaded when something is hashed: that costs milliseconds, and a
// command that only looks hashes nothing.

export function sha256Of(content: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", content);
}
