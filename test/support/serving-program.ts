// The HTTP service of a home as a process of its own, for tests that kill it: `node serving-program.ts HOME PORT`.

import { Application } from "../../src/application/application.ts";
import { startServer } from "../../src/http/server.ts";

const [home = "", port = "0"] = process.argv.slice(2);
const app = new Application({ cwd: home, env: { ...process.env, PAWL_HOME: home } });
const { url } = await startServer({ app, host: "127.0.0.1", port: Number(port) });
process.stdout.write(`${url}\n`);
