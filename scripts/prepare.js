// Runs after `npm ci`: makes the bundle, so that a clone starts fast; a failure never fails the install. JavaScript, because any Node
// may run it.

try {
  await import("./bundle.ts");
} catch (error) {
  const why = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
  console.error(`note: nothing was bundled (${why}); pawl runs from its sources and starts more slowly`);
}
