// After `npm ci`. Owns: that a clone starts fast, and that an install never fails because of it. JavaScript, because any Node may
// be the one that runs it.

try {
  await import("./bundle.ts");
} catch (error) {
  const why = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
  console.error(`note: nothing was bundled (${why}); without that, pawl runs from its sources and starts more slowly`);
}
