// Telemetry of real runs, sent to a real collector: what it gets, and what it must not get or cost.

import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { type Collector, startCollector, treeOf } from "../support/collector.ts";
import { type Called, expectCode, newSite, type Site, startPawl, writeAt } from "../support/pawl.ts";
import { newRalph, processesOf, type Ralph } from "../support/ralph.ts";
import { linesOf, slowWork, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const secret = "s3cr3t-4711-value";

function startRalph(ralph: Ralph, env: Readonly<Record<string, string>>) {
  return startPawl([...ralph.args, "--agents", "2"], { home: ralph.home, cwd: ralph.repo, env });
}

/** A run of one step, in a process of its own. */
async function runOnce(
  site: Site,
  env: Readonly<Record<string, string>>,
  script = "echo STATUS: done",
): Promise<Called> {
  const workflow = "pawl: 1\nid: small\nagents: { worker: {} }\nsteps: [{ id: only, agent: worker, input: x }]\n";
  const words = [writeAt(site, "small.yml", workflow), "do it"];
  const executor = `command: sh ${writeAt(site, "agent.sh", `cat > /dev/null\n${script}\n`)}`;
  return await startPawl(["run", ...words, "--executor", executor], { home: site.home, cwd: site.repo, env }).ended;
}

/** How long the process stayed after its run was over. */
async function lingered(site: Site, running: Promise<Called>): Promise<number> {
  await running;
  const ended = performance.timeOrigin + performance.now();
  return ended - Date.parse((await site.status()).run.endedAt ?? "");
}

/** Notes every module of OpenTelemetry that a process loads. */
function noteModules(site: Site): { readonly env: Readonly<Record<string, string>>; loaded(): readonly string[] } {
  const hook = writeAt(
    site,
    "hook.mjs",
    `import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.includes("opentelemetry")) appendFileSync(${JSON.stringify(site.path("modules"))}, specifier + "\\n");
    return next(specifier, context);
  },
});
`,
  );
  return { env: { NODE_OPTIONS: `--import ${pathToFileURL(hook).href}` }, loaded: () => linesOf(site, "modules") };
}

test("[TL10 TL13 TL14 TL15 TL20] two stories, one of them sent back once: one trace with a span of everything, and nothing of what agents wrote", async () => {
  const collector = await startCollector();
  const ralph = newRalph(
    [
      { id: "US-001", title: "Shout WONDERFUL" },
      { id: "US-002", depends_on: ["US-001"] },
    ],
    {
      agent: `
*/planning) echo "$TRACEPARENT" >> "$S/traceparents"; echo "PLAN: ${secret}" ;;
US-001/final_review) if [ "$PAWL_ATTEMPT" = 1 ]; then say end; printf 'It is WORDY.\\nSTATUS: retry\\nREASON: WORDY ${secret}\\n'; exit; fi ;;`,
    },
  );
  const called = await startRalph(ralph, { ...collector.env, MY_SECRET: secret }).ended;
  expectCode(called, 0);
  const stories = ["US-001", "US-002"].map((id) => `run short-ralph › story ${id}`);
  expect(treeOf(collector.spans)).toEqual(
    [
      "run short-ralph",
      ...stories.flatMap((story) => [
        story,
        ...["attempt planning 1", "attempt coding 1", "attempt final_review 1", "integration 1"].map(
          (name) => `${story} › ${name}`,
        ),
      ]),
      ...["attempt coding 2", "attempt final_review 2"].map((name) => `${stories[0]} › ${name}`),
    ].toSorted(),
  );

  const { run } = await ralph.status();
  const [whole] = collector.spans.filter(({ parent }) => parent === null);
  expect(whole).toMatchObject({ startedAt: Date.parse(run.startedAt), endedAt: Date.parse(run.endedAt ?? "") });
  expect(whole?.attributes).toMatchObject({
    "pawl.run.id": run.id,
    "pawl.run.number": 1,
    "pawl.workflow": "short-ralph",
    "pawl.status": "done",
    "pawl.attempts": 10,
  });
  const [sentBack] = collector.spans.filter(({ attributes }) => attributes["pawl.verdict"] === "rejected");
  expect(sentBack).toMatchObject({
    isFailure: false,
    attributes: {
      "pawl.story": "US-001",
      "pawl.step": "final_review",
      "pawl.attempt.number": 1,
      "pawl.executor": "command",
      "pawl.outcome": "completed",
      "pawl.route": "back_to",
      "pawl.cost.usd": 0,
    },
  });

  // The spans of an agent are below the one of its attempt.
  const plans = collector.spans.filter(({ attributes }) => attributes["pawl.step"] === "planning");
  expect(linesOf(ralph, "traceparents").toSorted()).toEqual(
    plans.map(({ trace, id }) => `00-${trace}-${id}-01`).toSorted(),
  );

  const points = collector.points.filter(({ name }) => name === "pawl.attempts");
  expect(points.reduce((sum, { value }) => sum + value, 0)).toBe(10);
  const steps = collector.points.filter(({ attributes }) => attributes["pawl.step"] === "final_review");
  expect(steps.map(({ name, count }) => `${name} ${count}`).toSorted()).toEqual([
    "pawl.attempt.duration 3",
    "pawl.attempt.wait 3",
    "pawl.attempts 1",
  ]);
  expect(steps.find(({ name }) => name === "pawl.attempts")).toMatchObject({ value: 3 });

  const sent = collector.bodies.join("\n");
  expect(collector.paths.toSorted().at(-1)).toBe("/v1/traces");
  for (const word of [secret, "WORDY", "WONDERFUL", "What US-001", ralph.path(), ralph.repo, "agent.sh", "PLAN"])
    expect({ word, isSent: sent.includes(word) }).toEqual({ word, isSent: false });
  expect(collector.resources[0]).toMatchObject({ "service.name": "pawl", "telemetry.sdk.name": "opentelemetry" });
  expect(Object.keys(collector.resources[0] ?? {}).filter((key) => /^(host|process|os)\./.test(key))).toEqual([]);
});

test("[TL11] a driver that is killed: the next one adds to the same tree, nothing is missing and nothing is there twice", async () => {
  const collector = await startCollector();
  // The first story ends before the kill: its span names a run whose span the second process sends.
  const ralph = newRalph([{ id: "US-000" }, { id: "US-001" }, { id: "US-002" }], {
    agent: `*/coding) if [ "$PAWL_STORY" != US-000 ] && [ ! -e "$S/go" ]; then : > "$S/$PAWL_STORY"; sleep 600; fi; echo work > "$PAWL_STORY.txt"; commit ;;`,
  });
  const driver = startRalph(ralph, collector.env);
  await until(() => ralph.isThere("US-001") && ralph.isThere("US-002") && collector.spans.length === 7);
  driver.child.kill("SIGKILL");
  await driver.ended;
  await until(async () => (await processesOf(ralph)) === 0);
  ralph.release("go");
  expectCode(await startRalph(ralph, collector.env).ended, 0);
  const names = ["attempt planning 1", "attempt coding 1", "attempt final_review 1", "integration 1"];
  const again = [...names, "attempt coding 2"];
  expect(treeOf(collector.spans)).toEqual(
    [
      "run short-ralph",
      ...Object.entries({ "US-000": names, "US-001": again, "US-002": again }).flatMap(([id, attempts]) => [
        `run short-ralph › story ${id}`,
        ...attempts.map((name) => `run short-ralph › story ${id} › ${name}`),
      ]),
    ].toSorted(),
  );
  const lost = collector.spans.filter(({ attributes }) => attributes["pawl.outcome"] === "lost");
  expect(lost.map(({ isFailure, attributes }) => [isFailure, attributes["pawl.step"]])).toEqual([
    [true, "coding"],
    [true, "coding"],
  ]);
  // Two processes counted.
  expect(new Set(collector.resources.map((each) => each["service.instance.id"])).size).toBe(2);
});

test("[TL1 TL2] without a yes of the user nothing is loaded and nothing is sent, whatever other programs have set", async () => {
  const collector = await startCollector();
  const site = newSite();
  const { env, loaded } = noteModules(site);
  const { PAWL_TELEMETRY: _, ...others } = collector.env;
  const exporters = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp" };
  const seen = `echo "[$TRACEPARENT]" >> ${site.path("seen")}; echo STATUS: done`;
  const offs = [
    { ...others, ...exporters },
    { ...others, PAWL_TELEMETRY: "0" },
    { ...collector.env, OTEL_SDK_DISABLED: "true" },
    { PAWL_TELEMETRY: "1" },
    { ...collector.env, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" },
  ];
  for (const off of offs) expectCode(await runOnce(site, { ...env, ...off, TRACEPARENT: "00-1-1-01" }, seen), 0);
  writeFileSync(join(site.home, "config.yml"), "telemetry: true\n", { mode: 0o600 });
  expectCode(await runOnce(site, { ...env, ...others, PAWL_TELEMETRY: "0" }, seen), 0);
  expect({ loaded: loaded(), connections: collector.connections }).toEqual({ loaded: [], connections: 0 });
  expect(new Set(linesOf(site, "seen"))).toEqual(new Set(["[]"]));

  // A command that only looks loads nothing either, though telemetry is on.
  expectCode(await startPawl(["status", "1"], { ...site, cwd: site.repo, env: { ...env, ...others } }).ended, 0);
  expect(loaded()).toEqual([]);
  expectCode(await runOnce(site, { ...env, ...others }, seen), 0);
  expect(loaded()).toContain("@opentelemetry/sdk-trace");
  expect(treeOf(collector.spans)).toEqual(["run small", "run small › attempt only 1"]);
});

test("[TL5] a collector that is down, that refuses, or that accepts and never answers, changes nothing about a run and holds its end up for two seconds at most", async () => {
  const collector = await startCollector();
  collector.answers = false;
  const refusing = await startCollector();
  refusing.status = 403;
  const unused = createServer();
  await new Promise<void>((resolve) => unused.listen(0, "127.0.0.1", resolve));
  const { port } = unused.address() as { port: number };
  await new Promise<void>((resolve) => void unused.close(() => resolve()));
  for (const url of [collector.url, refusing.url, `http://127.0.0.1:${port}`]) {
    const site = newSite();
    const running = runOnce(site, { ...collector.env, OTEL_EXPORTER_OTLP_ENDPOINT: url });
    // Its usual timeout is ten seconds. The rest is for a busy machine.
    expect(await lingered(site, running)).toBeLessThan(6_000);
    const called = await running;
    expectCode(called, 0);
    expect(called.stderr.match(/telemetry cannot be sent/g)).toHaveLength(1);
    expect((await site.status()).run.status).toBe("done");
  }
  for (const { connections } of [collector, refusing]) expect(connections).toBeGreaterThan(0);
});

test("[TL4 TL30] without its packages one note says what to install, and the run goes on", async () => {
  const collector = await startCollector();
  const site = newSite();
  const alone = site.path("installed", "pawl");
  for (const part of ["bin", "dist", "docs/guides", "package.json", "workflows"])
    cpSync(join(root, part), join(alone, part), { recursive: true });
  const copied = async (...args: readonly string[]) => {
    const { spawn } = await import("node:child_process");
    const child = spawn(process.execPath, [join(alone, "bin", "pawl"), ...args], {
      cwd: site.repo,
      env: { PATH: process.env["PATH"], HOME: site.home, PAWL_HOME: site.home, NO_COLOR: "1", ...collector.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()));
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    return { code, said };
  };
  const workflow = writeAt(
    site,
    "two.yml",
    "pawl: 1\nid: two\nagents: { worker: {} }\nsteps: [{ id: one, agent: worker, input: x }, { id: two, agent: worker, input: x }]\n",
  );
  const { code, said } = await copied("run", workflow, "do it", "--executor", 'command: sh -c "echo STATUS: done"');
  expect({ code, said: code === 0 ? "" : said }).toEqual({ code: 0, said: "" });
  expect(said.match(/npm install --global @opentelemetry\/api/g)).toHaveLength(1);
  expect(collector.connections).toBe(0);
  const doctor = await copied("doctor");
  expect(doctor.said).toMatch(/optional +telemetry +packages of OpenTelemetry are missing/);
  expect(doctor.said).toContain("npm install --global @opentelemetry/api");
});

test("[TL3 TL30] spans and figures can be printed, on stderr; the doctor says where telemetry goes, without a password", async () => {
  const site = newSite();
  const env = { PAWL_TELEMETRY: "1", OTEL_TRACES_EXPORTER: "console", OTEL_METRICS_EXPORTER: "console" };
  const called = await runOnce(site, env);
  expectCode(called, 0);
  const printed = called.stderr.split("\n").filter((line) => line.startsWith("{"));
  const documents = printed.map((line) => JSON.parse(line) as { span?: { name: string }; metric?: { name: string } });
  expect(documents.flatMap(({ span }) => span?.name ?? [])).toEqual(["attempt only", "run small"]);
  expect(documents.flatMap(({ metric }) => metric?.name ?? [])).toContain("pawl.attempt.duration");
  expect(called.stdout).not.toContain("traceId");

  const findings = async (more: Readonly<Record<string, string>>) => {
    const { stdout } = await startPawl(["doctor", "--json"], { home: site.home, cwd: site.repo, env: more }).ended;
    const document = JSON.parse(stdout) as { findings: { name: string; ok: boolean; detail: string }[] };
    return document.findings.filter(({ name }) => name === "telemetry");
  };
  expect(await findings({})).toMatchObject([{ ok: true, detail: "off" }]);
  expect(await findings({ PAWL_TELEMETRY: "1" })).toMatchObject([
    { ok: false, detail: expect.stringContaining("OTEL_EXPORTER_OTLP_ENDPOINT") },
  ]);
  const address = "https://ann:hunter2@collector.example.org:4318/otlp?key=hunter2";
  expect(await findings({ PAWL_TELEMETRY: "1", OTEL_EXPORTER_OTLP_ENDPOINT: address })).toMatchObject([
    {
      ok: true,
      detail: "traces to https://collector.example.org:4318/otlp, metrics to https://collector.example.org:4318/otlp",
    },
  ]);
});

test("[TL21] the service sends gauges of its store", async () => {
  const collector = await startCollector();
  const site = newSite();
  const work = slowWork(site);
  writeFileSync(site.path("hold"), "");
  const service = await startService(site, { ...collector.env, OTEL_METRIC_EXPORT_INTERVAL: "100" });
  expectCode(await site.pawl("run", ...work, "--detach"), 0);
  await until(() => linesOf(site, "begun").length === 1);
  const now = (collected: Collector) => {
    const newest = new Map(
      collected.points.map(({ name, attributes, value }) => [
        `${name} ${attributes["pawl.status"] ?? ""}`.trim(),
        value,
      ]),
    );
    return Object.fromEntries([...newest].filter(([name]) => !name.startsWith("pawl.attempt")));
  };
  await until(() => now(collector)["pawl.runs running"] === 1);
  expect(now(collector)).toMatchObject({
    "pawl.runs done": 0,
    "pawl.steps.ready": 0,
    "pawl.gates.open": 0,
    "pawl.accounts.held": 0,
  });
  await until(() => collector.points.some(({ name, value }) => name === "pawl.attempts.running" && value === 1));
  expect(existsSync(site.path("done"))).toBe(false);
  service.child.kill("SIGTERM");
  await service.ended;
  expect(readFileSync(site.path("begun"), "utf8")).toContain("first");
});
