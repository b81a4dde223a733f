// The guide to the HTTP API: every command that it shows is run against a real service.

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { resume } from "../../src/application/driving/drive.ts";
import { openGates } from "../../src/application/gates/gates.ts";
import { start } from "../../src/application/starting/start.ts";
import { install } from "../../src/application/workflows/workflows.ts";
import { applicationIn, serve } from "../support/http-service.ts";
import { makeRepository, tempDir } from "../support/repository.ts";

const guide = readFileSync(new URL("../../docs/guides/http-api.md", import.meta.url), "utf8");
const commands = [...guide.matchAll(/^```sh\n([^]*?)^```$/gm)]
  .flatMap(([, block = ""]) => block.replaceAll("\\\n", "").split("\n"))
  .filter((line) => line.startsWith("curl "));

test("[HT10 HT20 HT24 HT26] the calls of the guide do what it says", async () => {
  const dir = tempDir("pawl-guide-");
  const repo = join(dir, "repo");
  makeRepository(undefined, { dir: repo });
  mkdirSync(join(dir, "home"));
  const program = join(dir, "agent.sh");
  writeFileSync(program, "cat >/dev/null; echo STATUS: done\n");
  const config = `default_executor: mine\nexecutors:\n  mine: { kind: command, command: ["sh", "${program}"] }\n`;
  writeFileSync(join(dir, "home", "config.yml"), config);
  const steps = '  - { id: work, agent: worker, input: "{{task}}" }\n  - { id: look, gate: "Good?" }\n';
  writeFileSync(join(dir, "small.yml"), `pawl: 1\nid: small\nagents: { worker: {} }\nsteps:\n${steps}`);
  const app = applicationIn(dir);
  install(app, join(dir, "small.yml"));
  await start(app, { workflow: "small", task: "Log in", repo });
  await resume(app, "1", { signal: new AbortController().signal });
  const service = await serve({ app });
  const [asked] = await openGates(app);
  const env = {
    ...process.env,
    PAWL_URL: service.url,
    TOKEN: await service.token("operate"),
    GATE: asked?.gate.id ?? "",
    REPO: repo,
  };
  expect(commands.length).toBeGreaterThan(8);
  const answers: string[] = [];
  // The call to a project needs its files: test/http/say.test.ts.
  for (const command of commands.filter((each) => !each.includes("/projects/say"))) {
    const { stdout } = await promisify(execFile)("sh", ["-c", `${command} -w ' %{http_code}'`], { env });
    answers.push(stdout);
    expect({ command, status: stdout.slice(-3), stdout }).toMatchObject({ status: expect.stringMatching(/^20[01]$/) });
  }
  expect(answers.some((text) => text.includes('"option":"approve"'))).toBe(true);
  expect(answers.at(-1)).toContain('"number":2');
});
