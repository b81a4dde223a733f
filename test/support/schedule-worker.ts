// A service of schedules in a process of its own: `node schedule-worker.ts HOME REPO [DEATH]`. It prints "ready", begins when it reads a line,
// and ends when it has looked once and nothing is under way. With DEATH it kills itself before the first statement whose SQL contains that text,
// once the row of a run is written; `after commit` is the statement after that commit.

import { once } from "node:events";
import { createInterface } from "node:readline";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Application } from "../../src/application/application.ts";
import { startSchedules } from "../../src/application/schedules/service.ts";

const [home = "", repo = "", death] = process.argv.slice(2);
const app = new Application({ cwd: repo, env: { ...process.env, PAWL_HOME: home } });
await app.read();
process.stdout.write("ready\n");
await once(createInterface({ input: process.stdin }), "line");
if (death !== undefined) dieAt(death);
let hasLooked = false;
const looks = async (ms: number, signal?: AbortSignal) => {
  hasLooked = true;
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
};
const service = startSchedules(app, { clock: { now: Date.now, sleep: looks } });
while (!hasLooked) await sleep(5);
await service.close();
await app.close();
process.exit(0);

function dieAt(text: string): void {
  let hasRun = false;
  let hasCommitted = false;
  const dying = <F extends object>(run: F): F =>
    new Proxy(run, {
      apply(target, self: unknown, args: readonly unknown[]) {
        const sql = (self instanceof StatementSync ? self.sourceSQL : String(args[0])).toLowerCase();
        const isDue = text === "after commit" ? hasCommitted : hasRun && sql.includes(text);
        if (isDue) process.kill(process.pid, "SIGKILL");
        hasRun ||= sql.includes('insert into "runs"');
        hasCommitted ||= hasRun && sql.includes("commit");
        return Reflect.apply(target as never, self, args);
      },
    });
  StatementSync.prototype.run = dying(StatementSync.prototype.run);
  StatementSync.prototype.all = dying(StatementSync.prototype.all);
  StatementSync.prototype.get = dying(StatementSync.prototype.get);
  DatabaseSync.prototype.exec = dying(DatabaseSync.prototype.exec);
}
