// Starts a TypeScript program of the tests: `start.js PROGRAM ARGUMENTS`. Node keeps what it compiled, because tests start the same few
// programs thousands of times. It is JavaScript, because to compile this file, too, Node would load its compiler each time.

import { enableCompileCache } from "node:module";
import { pathToFileURL } from "node:url";

enableCompileCache();
process.argv.splice(1, 1);
await import(pathToFileURL(process.argv[1] ?? "").href);
