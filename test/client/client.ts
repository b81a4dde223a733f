// Checks the HTTP API with programs of others (`npm run test:client`): a validator reads the OpenAPI document, a generator makes a
// client from it, and that client starts a run, follows it and answers its gate.

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..", "..");
const patienceMs = 120_000;

const workflow = `pawl: 1
id: small
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "Work on {{task}}" }
  - { id: look, gate: "Is it good?", options: { approve: next, reject: { back_to: work } } }
  - { id: ship, agent: worker, input: "Ship it. {{feedback}}" }
`;
const agent = "cat >/dev/null; date > made.txt; git add -A; git commit -qm made; echo STATUS: done\n";

/** What the generator makes. Its types are made with it, so they are not known here. */
interface Generated {
  readonly client: {
    setConfig(config: object): void;
    readonly sse: { get(call: object): Promise<{ stream: AsyncIterable<{ readonly type: string }> }> };
  };
  readonly [operation: string]: unknown;
}

const dir = mkdtempSync(join(tmpdir(), "pawl-client-"));
const started: ChildProcess[] = [];
try {
  const { url, repo, token } = await startService();
  const answer = await fetch(`${url}/api/v1/openapi.json`, { headers: { authorization: `Bearer ${token}` } });
  const document = (await answer.json()) as object;
  await validate(document);
  await useClient(await generate(document), { url, repo, token });
  console.log("the document is valid OpenAPI 3.1; a generated client started a run, followed it and answered its gate");
} finally {
  for (const service of started.filter(({ exitCode }) => exitCode === null)) {
    service.kill("SIGTERM");
    await once(service, "exit", { signal: AbortSignal.timeout(patienceMs) });
  }
  rmSync(dir, { recursive: true, force: true });
}

async function startService(): Promise<{ readonly url: string; readonly repo: string; readonly token: string }> {
  const [home, repo] = [join(dir, "home"), join(dir, "repo")];
  for (const folder of [home, repo]) mkdirSync(folder, { mode: 0o700 });
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: repo });
  writeFileSync(join(repo, "README.md"), "cart\n");
  git("init", "-q");
  git("config", "user.name", "Pawl");
  git("config", "user.email", "pawl@example.org");
  git("add", "-A");
  git("commit", "-qm", "first");
  writeFileSync(join(dir, "agent.sh"), agent);
  writeFileSync(join(dir, "small.yml"), workflow);
  writeFileSync(
    join(home, "config.yml"),
    `executors: { mine: { kind: command, command: ["sh", "${join(dir, "agent.sh")}"] } }\n`,
  );
  const env = { ...process.env, PAWL_HOME: home };
  const program = join(root, "bin", "pawl");
  const pawl = (...args: readonly string[]) =>
    execFileSync(process.execPath, [program, ...args], { cwd: repo, env, encoding: "utf8" });
  pawl("workflow", "install", join(dir, "small.yml"));
  // The first run of a repository is started by its user.
  pawl("run", "small", "the first", "--executor", "mine", "--detach");
  const { token } = JSON.parse(pawl("token", "create", "--role", "operate", "--name", "client", "--json")) as {
    readonly token: string;
  };
  const up = spawn(process.execPath, [program, "up", "--port", "0", "--json"], {
    cwd: repo,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(up);
  const [line] = (await once(up.stdout, "data", { signal: AbortSignal.timeout(patienceMs) })) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { readonly url: string };
  return { url, repo, token };
}

async function validate(document: object): Promise<void> {
  const { Validator } = (await import(packageFile("@seriousme/openapi-schema-validator", "index.js"))) as {
    readonly Validator: new () => {
      readonly version: string;
      validate(given: object): Promise<{ readonly valid: boolean; readonly errors?: unknown }>;
    };
  };
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
  assert.equal(validator.version, "3.1");
  const broken = JSON.parse(JSON.stringify(document).replace('"in":"query"', '"in":"nowhere"')) as object;
  assert.equal((await new Validator().validate(broken)).valid, false, "the validator finds nothing wrong");
}

async function generate(document: object): Promise<Generated> {
  const { createClient } = (await import(packageFile("@hey-api/openapi-ts", "dist", "index.mjs"))) as {
    readonly createClient: (options: object) => Promise<unknown>;
  };
  const [input, path] = [join(dir, "openapi.json"), join(dir, "generated")];
  writeFileSync(input, JSON.stringify(document));
  await createClient({
    input,
    output: { path, module: { extension: ".ts" } },
    plugins: ["@hey-api/client-fetch", "@hey-api/sdk"],
    logs: { level: "silent", file: false },
  });
  const [sdk, { client }] = (await Promise.all(
    ["index.ts", "client.gen.ts"].map(async (file) => await import(pathToFileURL(join(path, file)).href)),
  )) as [Record<string, unknown>, { client: Generated["client"] }];
  return { ...sdk, client };
}

async function useClient(
  generated: Generated,
  { url, repo, token }: { readonly url: string; readonly repo: string; readonly token: string },
): Promise<void> {
  const call = async <T>(operation: string, given: object = {}): Promise<T> => {
    const { data, error } = await (
      generated[operation] as (call: object) => Promise<{ readonly data?: T; readonly error?: unknown }>
    )(given);
    assert.equal(error, undefined, `${operation}: ${JSON.stringify(error)}`);
    return data as T;
  };
  const signal = AbortSignal.timeout(patienceMs);
  generated.client.setConfig({ baseUrl: url, auth: () => token, signal });

  const { run } = await call<{ run: { number: number; id: string } }>("postRuns", {
    body: { workflow: "small", task: "Add a page", repo, executor: "mine", caps: { attempts: 20 } },
    headers: { "Idempotency-Key": "client-1" },
  });
  assert.equal(run.number, 2);
  const following = { path: { run: run.id } };
  await follow(generated, following, signal, "gate_opened");
  const { gates } = await call<{ gates: { id: string; run: string; tree: string | null }[] }>("getGates");
  const gate = gates.find((each) => each.run === run.id);
  assert.ok(gate, "the gate that was announced is not open");
  await call("postGatesGateAnswer", {
    path: { gate: gate.id },
    body: { option: "approve", note: "Looks good", tree: gate.tree },
  });
  await follow(generated, following, signal, "run_ended");
  const status = await call<{ run: { status: string } }>("getRunsRun", following);
  assert.equal(status.run.status, "done");
}

/** Until the run has had an event of this type. */
async function follow({ client }: Generated, given: object, signal: AbortSignal, type: string): Promise<void> {
  const { stream } = await client.sse.get({
    url: "/api/v1/runs/{run}/events",
    security: [{ scheme: "bearer", type: "http" }],
    headers: { accept: "text/event-stream" },
    sseMaxRetryAttempts: 3,
    signal,
    ...given,
  });
  for await (const event of stream) if (event.type === type) return;
  assert.fail(`the stream ended without ${type}`);
}

/** They are installed beside this file, and the rest of the repository does not know them. */
function packageFile(name: string, ...path: readonly string[]): string {
  const folder = join(import.meta.dirname, "node_modules", name);
  const file = join(folder, ...path);
  readFileSync(file);
  return pathToFileURL(file).href;
}
