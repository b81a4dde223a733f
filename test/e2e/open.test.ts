// `pawl open` as people use it: a browser that is a script, and what it is given.

import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SignedIn } from "../../src/contracts/http-documents.ts";
import type { OpenedPage } from "../../src/contracts/service-documents.ts";
import { type Called, expectCode, newSite, type Site, startPawl, writeAt } from "../support/pawl.ts";
import { linesOf, recordOf, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const gated = `pawl: 1
id: gated
agents: { worker: {} }
steps:
  - { id: look, gate: "Is it good?", options: { approve: next, reject: fail } }
`;

/** A browser that writes down what it was called with, one argument a line. */
function browserIn(site: Site, name = "browser"): string {
  const program = writeAt(site, name, `#!/bin/sh\nprintf '%s\\n' "$@" >> ${site.path("shown")}\n`);
  chmodSync(program, 0o755);
  return program;
}

async function opened(
  site: Site,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Called> {
  return await startPawl(["open", ...args], { home: site.home, cwd: site.repo, env }).ended;
}

function endServiceOf(site: Site): void {
  onTestFinished(async () => void (await site.pawl("down")));
}

async function signIn(url: string, code: string): Promise<Response> {
  return await fetch(`${url}/api/v1/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ code }),
  });
}

function codeIn(address: string): string {
  return /#code=([\w-]{43})$/.exec(address)?.[1] ?? "";
}

/** The files of the home that have this text in them. */
function filesWith(site: Site, text: string): readonly string[] {
  return readdirSync(site.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, "latin1").includes(text));
}

/** What is in the list of processes about one of them, for whoever may read it. */
function seenOf(pid: number): string {
  return ["cmdline", "environ"].map((name) => readFileSync(`/proc/${pid}/${name}`, "latin1")).join("\n");
}

test("[PG10 PG11 PG14] a browser is opened at the run, signs in once, and the secrets are nowhere else", async () => {
  const site = newSite();
  endServiceOf(site);
  expectCode(await site.pawl("run", writeAt(site, "gated.yml", gated), "do it", "--executor", "command: true"), 3);
  const said = await opened(site, ["1"], { BROWSER: browserIn(site) });
  expectCode(said, 0);
  const service = recordOf(site);
  const url = service?.url ?? "";
  expect(said.stderr).toContain(`The service was started at ${url} (process ${service?.pid}); \`pawl down\` stops it.`);
  expect(said.stderr).toContain(`Opened ${url}/runs/1 in your browser.`);
  const [address = ""] = linesOf(site, "shown");
  expect(address).toBe(`${url}/runs/1#code=${codeIn(address)}`);

  const answer = await signIn(url, codeIn(address));
  expect(answer.status).toBe(200);
  const { token, name } = (await answer.json()) as SignedIn;
  expect((await signIn(url, codeIn(address))).status).toBe(401);
  expect((await site.pawl("token", "list")).stdout).toContain(`${name}  operate`);
  for (const secret of [codeIn(address), token]) {
    expect(said.stdout + said.stderr).not.toContain(secret);
    expect(filesWith(site, secret)).toEqual([]);
    expect(seenOf(service?.pid ?? 0)).not.toContain(secret);
  }
  expect(existsSync(join(site.home, "logs", "service.log"))).toBe(true);

  // The same service; each time another code.
  const [gate] = (await site.status()).gates;
  const offered = await site.pawl("complete", "--", "open", "");
  expect(offered.stdout.trim().split("\n")).toEqual(["1", gate?.id]);
  const again = await opened(site, [gate?.id ?? "", "--json"], { BROWSER: `${browserIn(site)} --new-window` });
  expect(JSON.parse(again.stdout)).toEqual({
    url: `${url}/gates/${gate?.id}`,
    opened: true,
    expiresAt: expect.any(String),
    service: { url, pid: service?.pid, started: false },
  });
  const [, option, second = ""] = linesOf(site, "shown");
  expect({ option, second }).toEqual({
    option: "--new-window",
    second: `${url}/gates/${gate?.id}#code=${codeIn(second)}`,
  });
  expect(codeIn(second)).not.toBe(codeIn(address));
  await site.pawl("token", "revoke", name);
  expect((await fetch(`${url}/api/v1/runs`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
});

test("[PG12 PG13] without a browser, and with --print, the address is printed, under the public address where there is one", async () => {
  const site = newSite();
  const { url, pid } = await startService(site);
  const failing = writeAt(site, "failing", "#!/bin/sh\nexit 3\n");
  chmodSync(failing, 0o755);
  for (const env of [{}, { BROWSER: failing }, { BROWSER: site.path("missing") }, { DISPLAY: ":9", PATH: "" }]) {
    const said = await opened(site, [], env);
    expectCode(said, 0);
    expect(said.stderr).toContain("no browser could be started here");
    expect(said.stdout).toBe(`${url}/#code=${codeIn(said.stdout.trim())}\n`);
  }
  const before = Date.now();
  const printed = await opened(site, ["--print"], { BROWSER: browserIn(site) });
  expect(linesOf(site, "shown")).toEqual([]);
  expect(printed.stderr).toContain("It signs in once, within 5 minutes.");
  expect(printed.stderr).toContain(`ssh -L ${new URL(url).port}:127.0.0.1:${new URL(url).port} HOST`);
  expect(printed.stderr).not.toContain("no browser");
  expect((await signIn(url, codeIn(printed.stdout.trim()))).status).toBe(200);
  const document = JSON.parse((await opened(site, ["--print", "--json"])).stdout) as OpenedPage;
  expect(document).toMatchObject({ opened: false, service: { url, pid, started: false } });
  expect(Date.parse(document.expiresAt) - before).toBeGreaterThanOrEqual(5 * 60_000);
  expect(Date.parse(document.expiresAt) - Date.now()).toBeLessThanOrEqual(5 * 60_000);
  const opening = JSON.parse((await opened(site, ["--json"], { BROWSER: browserIn(site) })).stdout) as OpenedPage;
  expect(opening).toMatchObject({ opened: true, url: `${url}/` });
  expect(Date.parse(opening.expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);

  writeFileSync(join(site.home, "config.yml"), "service: { public_url: https://pawl.example.org }\n");
  const outside = await opened(site, ["--print"]);
  expect(outside.stdout).toBe(`https://pawl.example.org/#code=${codeIn(outside.stdout.trim())}\n`);
  expect(outside.stderr).not.toContain("ssh");
});

test("[PG11] what does not exist starts no service, and two that open at once share one", async () => {
  const site = newSite();
  endServiceOf(site);
  for (const reference of ["7", "nothing", "kq3x.1", "../x"]) expectCode(await opened(site, [reference]), 5);
  expect(recordOf(site)).toBeNull();
  const both = await Promise.all([opened(site, ["--print", "--json"]), opened(site, ["--print", "--json"])]);
  for (const each of both) expectCode(each, 0);
  const services = both.map(({ stdout }) => (JSON.parse(stdout) as OpenedPage).service);
  expect(services[0]?.pid).toBe(services[1]?.pid);
  expect(services.filter(({ started }) => started)).toHaveLength(1);
});

test("[PG11] where the usual port belongs to somebody else, the service takes a free one", async () => {
  const taken = createServer();
  // Another program may have it already: that is as good.
  await new Promise<void>((resolve) => taken.once("error", () => resolve()).listen(7295, "127.0.0.1", resolve));
  onTestFinished(() => void taken.close());
  const site = newSite();
  endServiceOf(site);
  const said = await opened(site, ["--print", "--json"]);
  expectCode(said, 0);
  const { service } = JSON.parse(said.stdout) as OpenedPage;
  expect(service.started).toBe(true);
  expect(new URL(service.url).port).not.toBe("7295");
});

test("[PG14] an agent finds no token and no code in its environment, its tree or the home", async () => {
  const site = newSite();
  const { url } = await startService(site);
  const { stdout } = await opened(site, ["--print"]);
  const { token } = (await (await signIn(url, codeIn(stdout.trim()))).json()) as SignedIn;
  const { stdout: unused } = await opened(site, ["--print"]);
  const agent = writeAt(
    site,
    "agent.sh",
    `env > ${site.path("seen")}\ncat >> ${site.path("seen")}\necho STATUS: done\n`,
  );
  const work = `pawl: 1\nid: work\nagents: { worker: {} }\nsteps:\n  - { id: work, agent: worker, input: "{{task}}" }\n`;
  expectCode(await site.pawl("run", writeAt(site, "w.yml", work), "do it", "--executor", `command: sh ${agent}`), 0);
  const seen = readFileSync(site.path("seen"), "utf8");
  expect(seen).toContain("PAWL_STEP=work");
  for (const secret of [token, codeIn(unused.trim())]) {
    expect(secret.length).toBeGreaterThan(40);
    expect(seen).not.toContain(secret);
    expect(filesWith(site, secret)).toEqual([]);
  }
});

test("[PG15] the demo is shown in the page while it runs", async () => {
  const site = newSite();
  endServiceOf(site);
  const env = { BROWSER: browserIn(site) };
  const demo = startPawl(["demo", "--open"], { home: site.home, cwd: site.repo, env });
  await until(() => linesOf(site, "shown").length === 1 || demo.child.exitCode !== null);
  const [address = ""] = linesOf(site, "shown");
  const { origin, pathname } = new URL(address);
  expect(pathname).toBe("/runs/1");
  const { token } = (await (await signIn(origin, codeIn(address))).json()) as SignedIn;
  const run = await fetch(`${origin}/api/v1/runs/1`, { headers: { authorization: `Bearer ${token}` } });
  expect(await run.json()).toMatchObject({ run: { number: 1, workflow: "feature-dev", status: "running" } });
  expect(demo.child.exitCode).toBeNull();
  const said = await demo.ended;
  expectCode(said, 0);
  expect(said.stderr).toContain(`Opened ${origin}/runs/1 in your browser.`);
  expect(said.stderr).toContain("US-002 was rejected once and fixed");
  expect(said.stderr).not.toContain("pawl open");
});
