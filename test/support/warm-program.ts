// A process that runs one `pawl` command after the other: what it receives from its parent is a command with its folder, environment
// and input; what it sends back is what the command printed and its exit code. Each command is the whole command line, from its words on.

import { Readable } from "node:stream";
import { main } from "../../src/cli/main.ts";
import type { Called } from "./pawl.ts";
import type { WarmCall } from "./warm-pawl.ts";

const own = { ...process.env };
// The console of each command listens for errors of both.
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);
// A console prints without them where they can still be made.
for (const name of ["stdout", "stderr"] as const)
  Object.defineProperty(process, name, { value: process[name], configurable: true });

process.on("disconnect", () => process.exit());
process.on("message", (call: WarmCall) => {
  void perform(call).then((called) => process.send?.(called));
});

async function perform({ args, cwd, env, input }: WarmCall): Promise<Called> {
  const said = { stdout: "", stderr: "" };
  const restore = (["stdout", "stderr"] as const).map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
      said[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      const done = rest.findLast((each): each is () => void => typeof each === "function");
      if (done) process.nextTick(done);
      return true;
    };
    return () => (stream.write = write);
  });
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  become(env);
  process.chdir(cwd);
  try {
    const code = await main(args);
    return { code, ...said };
  } finally {
    for (const each of restore) each();
    become(own);
    // Tests look for processes that were left in their folders.
    process.chdir("/");
  }
}

function become(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}
