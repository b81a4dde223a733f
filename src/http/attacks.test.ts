// Attacks on the service. Each is made twice: with everything in place it is refused, and without the guard against it, it succeeds. So
// no guard is there in name only.

import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Service, sendRaw, serve } from "../../test/support/http-service.ts";
import { until } from "../../test/support/until.ts";
import { createToken, revokeToken } from "../application/access/tokens.ts";
import type { GuardName } from "./guards.ts";
import { usualLimits } from "./limits.ts";
import { fullProtection, type Protection } from "./protection.ts";

interface Attack {
  readonly name: string;
  /** The request; HOST and TOKEN are those of the service. */
  readonly request: string;
  readonly status: number | readonly number[];
  /** What protects against it. Without it, the request is answered. */
  readonly without: Partial<Protection>;
}

function withoutGuards(...names: readonly GuardName[]): Partial<Protection> {
  return { guards: fullProtection.guards.filter((name) => !names.includes(name)) };
}

const anyone: Partial<Protection> = {
  bearer: async () => ({ name: "anyone", role: "operate", createdAt: 0, expiresAt: null, usedAt: null }),
};
const signed = "Authorization: Bearer TOKEN\n";
const at = "Host: HOST\n";
const get = (headers: string, path = "/api/v1/runs") => `GET ${path} HTTP/1.1\n${headers}Connection: close\n\n`;

const attacks: readonly Attack[] = [
  ...[
    ["no token", ""],
    ["a wrong token", "Authorization: Bearer pawl_wrong\n"],
    ["half of a token", "Authorization: Bearer TOKE\n"],
    ["another scheme", "Authorization: Basic TOKEN\n"],
    ["two tokens", "Authorization: Bearer x, Bearer TOKEN\n"],
  ].map(([name = "", header = ""]) => ({ name, request: get(at + header), status: 401, without: anyone })),
  {
    name: "a token in the address",
    request: get(at, "/api/v1/runs?q=TOKEN"),
    status: 401,
    without: anyone,
  },
  ...[
    ["a foreign Host", "Host: evil.example:PORT\n"],
    ["a Host without a port", "Host: 127.0.0.1\n"],
    ["Host 0.0.0.0", "Host: 0.0.0.0:PORT\n"],
    ["a Host that begins like ours", "Host: 127.0.0.1.evil.example:PORT\n"],
  ].map(([name = "", header = ""]) => ({
    name,
    request: get(header + signed),
    status: 421,
    without: withoutGuards("host"),
  })),
  {
    name: "the absolute form with a foreign host",
    request: `GET http://evil.example/api/v1/runs HTTP/1.1\n${at}${signed}Connection: close\n\n`,
    status: 421,
    without: withoutGuards("host", "spelling"),
  },
  ...[
    ["Origin null", "Origin: null\n"],
    ["the Origin of another port", "Origin: http://127.0.0.1:1\n"],
    ["an Origin that begins like ours", "Origin: http://HOST.evil.example\n"],
    ["our Origin by another protocol", "Origin: https://HOST\n"],
  ].map(([name = "", header = ""]) => ({
    name,
    request: get(at + signed + header),
    status: 403,
    without: withoutGuards("origin"),
  })),
  ...["cross-site", "same-site"].map((site) => ({
    name: `a request that is ${site}`,
    request: get(`${at}${signed}Sec-Fetch-Site: ${site}\n`),
    status: 403,
    without: withoutGuards("site"),
  })),
  ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp"].map((type) => ({
    name: `a body of ${type}`,
    request: `POST /api/v1/runs/1/pause HTTP/1.1\n${at}${signed}Content-Type: ${type}\nContent-Length: 2\nConnection: close\n\n{}`,
    status: 415,
    without: withoutGuards("json"),
  })),
  {
    name: "a body without a type",
    request: `POST /api/v1/runs/1/pause HTTP/1.1\n${at}${signed}Transfer-Encoding: chunked\nConnection: close\n\n2\n{}\n0\n\n`,
    status: 415,
    without: withoutGuards("json"),
  },
  ...["/%61pi/v1/runs", "/x/../api/v1/runs", "/api/./v1/runs", "/x/%2e%2e/api/v1/runs"].map((path) => ({
    name: `the path ${path}`,
    request: get(at + signed, path),
    status: 404,
    without: withoutGuards("spelling"),
  })),
  {
    name: "a role that is too low",
    request: `POST /api/v1/runs/1/pause HTTP/1.1\n${at}Authorization: Bearer READ\nConnection: close\n\n`,
    status: 403,
    without: { role: () => undefined },
  },
  {
    name: "a body that is announced too large",
    request: `POST /api/v1/runs/1/note HTTP/1.1\n${at}${signed}Content-Type: application/json\nContent-Length: 1073741824\n\n{`,
    status: 413,
    without: {},
  },
];

async function requestFor({ port, token }: Service, text: string): Promise<string> {
  const [full, read] = [await token("operate"), await token("read")];
  return text
    .replaceAll("HOST", `127.0.0.1:${port}`)
    .replaceAll("PORT", String(port))
    .replaceAll("TOKEN", full)
    .replaceAll("TOKE", full.slice(0, 20))
    .replaceAll("READ", read);
}

test("[HT2 HT4 HT5 HT6 HT7 HT8 HT10 HT11] attacks by raw sockets are refused, and nothing leaks", async () => {
  const service = await serve();
  const found: Record<string, number> = {};
  for (const { name, request } of attacks) {
    const answer = await sendRaw(service.port, await requestFor(service, request));
    found[name] = answer.status;
    expect(answer.text).not.toMatch(/"runs":|"events":/);
    expect(answer.text).toContain("application/problem+json");
    expect(answer.text).not.toMatch(/access-control-/i);
  }
  expect(found).toEqual(Object.fromEntries(attacks.map(({ name, status }) => [name, status])));
});

test("[HT2 HT4 HT5 HT6 HT7 HT8] without its guard, each attack is let through", async () => {
  const services = new Map<Partial<Protection>, Service>();
  for (const { name, request, without } of attacks) {
    if (Object.keys(without).length === 0) continue;
    const service = services.get(without) ?? (await serve({}, without));
    services.set(without, service);
    const { status, text } = await sendRaw(service.port, await requestFor(service, request));
    // Where nothing else is wrong, the list of runs, or that there is no such run; never that there is no such path.
    const isAnswered = text.includes('{"runs":[') || text.includes("there is no run 1");
    expect({ name, status, isAnswered, text: isAnswered ? "" : text }).toEqual({
      name,
      status,
      isAnswered: true,
      text: "",
    });
  }
});

test("[HT5] two Hosts and none are refused by whoever sees them first", async () => {
  const service = await serve();
  const token = `Authorization: Bearer ${await service.token("read")}\n`;
  const host = `Host: 127.0.0.1:${service.port}\n`;
  for (const [line, headers] of [
    ["GET /api/v1/runs HTTP/1.1", `${host}Host: evil.example\n`],
    ["GET /api/v1/runs HTTP/1.1", ""],
    ["GET /api/v1/runs HTTP/1.0", ""],
    ["CONNECT 127.0.0.1:1 HTTP/1.1", host],
    ["GET /api/v1/runs HTTP/1.1", `Host: 127.0.0.1:${service.port}@evil.example\n`],
  ] as const) {
    const { status, text } = await sendRaw(service.port, `${line}\n${headers}${token}Connection: close\n\n`);
    expect({ line, status, leaks: text.includes('"runs"') }).toEqual({
      line,
      status: expect.toSatisfy((code: number) => code === 0 || code >= 400),
      leaks: false,
    });
  }
});

test("[HT8] other spellings are never an answer, with the right token or without", async () => {
  const service = await serve();
  const token = await service.token("operate");
  const spellings = [
    "//api/v1/runs",
    "/api%2fv1/runs",
    "/API/v1/runs",
    "/api/v1/runs/",
    "/api//v1/runs",
    "\\api/v1/runs",
  ];
  spellings.push("/api\\v1/runs", "/api/v1/runs%00", "/api/v1/%72uns", "/%2561pi/v1/runs", "/api/v1/runs%", "*", "");
  for (const path of spellings) {
    for (const header of ["", `Authorization: Bearer ${token}\n`]) {
      const { status, text } = await sendRaw(
        service.port,
        `GET ${path} HTTP/1.1\nHost: 127.0.0.1:${service.port}\n${header}Connection: close\n\n`,
      );
      expect({ path, status }).toEqual({ path, status: expect.toBeOneOf([400, 401, 404, 421]) });
      expect(text).not.toContain('"runs"');
    }
  }
});

test("[HT9] every answer has the headers that a browser needs, and without them it has none", async () => {
  for (const [protection, expected] of [
    [{}, true],
    [{ headers: {} }, false],
  ] as const) {
    const { url } = await serve({}, protection);
    for (const path of ["/api/v1/health", "/api/v1/runs", "/nothing", "/%61pi"]) {
      const { headers } = await fetch(`${url}${path}`);
      expect(headers.get("content-security-policy")?.includes("frame-ancestors 'none'") ?? false).toBe(expected);
      expect(headers.get("x-content-type-options") === "nosniff").toBe(expected);
      expect(headers.get("cross-origin-opener-policy") === "same-origin").toBe(expected);
      expect(headers.get("cross-origin-resource-policy") === "same-origin").toBe(expected);
      expect(headers.get("referrer-policy") === "no-referrer").toBe(expected);
      expect(headers.get("cache-control") === "no-store").toBe(expected);
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  }
});

/** Sends chunks until the server answers or closes, and returns what it said and how much was sent. */
async function flood(service: Service, most: number): Promise<{ readonly text: string; readonly sent: number }> {
  const head = `POST /api/v1/runs/1/note HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${await service.token("operate")}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const piece = `10000\r\n${" ".repeat(0x10000)}\r\n`;
  const socket = connect(service.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let [text, sent] = ["", 0];
  socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
  socket.on("error", () => undefined);
  socket.write(head);
  while (text === "" && !socket.destroyed && sent < most) {
    sent += 0x10000;
    if (!socket.write(piece))
      await Promise.race([
        new Promise((done) => socket.once("drain", done)),
        until(() => text !== "" || socket.destroyed),
      ]);
    else await new Promise((done) => setImmediate(done));
  }
  if (sent >= most) socket.write("0\r\n\r\n");
  await until(() => text !== "" || socket.destroyed);
  return { text, sent };
}

test("[HT11] a body that never ends is refused at its limit, and taken without one", async () => {
  const most = 24 * 1024 * 1024;
  const refused = await flood(await serve(), most);
  expect(refused.text).toMatch(/^HTTP\/1\.1 413 /);
  expect(refused.sent).toBeLessThan(most);
  const taken = await flood(
    await serve({}, { limits: { ...usualLimits, bodyBytes: Number.POSITIVE_INFINITY } }),
    2 * 1024 * 1024,
  );
  expect(taken.text).toMatch(/^HTTP\/1\.1 400 /);
});

test("[HT11] a request that comes too slowly is ended, and waited for without a limit", async () => {
  const half = async ({ port, token }: Service) => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    socket.on("error", () => undefined);
    socket.write(
      `POST /api/v1/runs/1/note HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${await token("operate")}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{`,
    );
    return { socket, text: () => text };
  };
  const patient = await half(await serve());
  const hasty = await half(await serve({}, { limits: { ...usualLimits, requestMs: 300 } }));
  await until(() => hasty.socket.destroyed || hasty.text() !== "");
  expect(hasty.text()).toMatch(/^$|^HTTP\/1\.1 408 /);
  expect({ text: patient.text(), destroyed: patient.socket.destroyed }).toEqual({ text: "", destroyed: false });
});

test("[HT11] connections are limited", async () => {
  const open = async (connections: number) => {
    const { port } = await serve({}, { limits: { ...usualLimits, connections } });
    const sockets = Array.from({ length: 4 }, () => connect(port, "127.0.0.1"));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    let [closed, answered] = [0, 0];
    for (const socket of sockets) {
      socket.on("error", () => undefined);
      socket.once("close", () => (closed += 1));
      socket.once("data", () => (answered += 1));
      socket.write(`GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    }
    await until(() => closed + answered === 4);
    return { closed, answered };
  };
  expect(await open(2)).toEqual({ closed: 2, answered: 2 });
  expect(await open(usualLimits.connections)).toEqual({ closed: 0, answered: 4 });
});

test("[HT12] guesses of tokens are limited, and a valid token is not locked out", async () => {
  const statuses = async (failedSignIns: number) => {
    const service = await serve({}, { limits: { ...usualLimits, failedSignIns } });
    const call = async (token: string) =>
      (await fetch(`${service.url}/api/v1/runs`, { headers: { authorization: `Bearer ${token}` } })).status;
    const wrong = [];
    for (let guess = 0; guess < 4; guess += 1) wrong.push(await call(`pawl_${guess}`));
    return { wrong, right: await call(await service.token("read")) };
  };
  expect(await statuses(2)).toEqual({ wrong: [401, 401, 429, 429], right: 200 });
  expect(await statuses(Number.POSITIVE_INFINITY)).toEqual({ wrong: [401, 401, 401, 401], right: 200 });
});

test("[HT3 HT5] beyond loopback it needs a token, and answers to its addresses, the name of its proxy, and no other", async () => {
  await expect(serve({ host: "0.0.0.0" })).rejects.toMatchObject({
    code: "REFUSED",
    hint: expect.stringContaining("token create"),
  });
  const { app } = await serve();
  const { name } = await createToken(app, { role: "read" });
  const service = await serve({ app, host: "0.0.0.0", publicUrl: "https://pawl.example.org" });
  const status = async (host: string, origin = "") =>
    (await sendRaw(service.port, `GET /api/v1/health HTTP/1.1\nHost: ${host}\n${origin}Connection: close\n\n`)).status;
  expect(await status(`127.0.0.1:${service.port}`)).toBe(200);
  expect(await status(`localhost:${service.port}`)).toBe(200);
  expect(await status("pawl.example.org")).toBe(200);
  expect(await status("pawl.example.org", "Origin: https://pawl.example.org\n")).toBe(200);
  expect(await status("pawl.example.org", `Origin: http://127.0.0.1:${service.port}\n`)).toBe(403);
  expect(await status(`0.0.0.0:${service.port}`)).toBe(421);
  expect(await status("pawl.example.org:443")).toBe(421);
  await revokeToken(app, name);
  await expect(serve({ app, host: "0.0.0.0" })).rejects.toMatchObject({ code: "REFUSED" });
});

test("[HT10] a defect says nothing of what is inside, and is in the log of the service", async () => {
  const logged: string[] = [];
  const service = await serve({ log: (event, { why }) => logged.push(`${event} ${why}`) });
  const token = await service.token("read");
  await service.app.close();
  const broken = { read: () => Promise.reject(new Error("secret /path")) };
  Object.assign(service.app, broken);
  const answer = await fetch(`${service.url}/api/v1/runs`, { headers: { authorization: `Bearer ${token}` } });
  expect(await answer.json()).toMatchObject({ status: 500, code: "DEFECT", detail: "this is a defect of Pawl" });
  expect(logged).toEqual([expect.stringMatching(/^http\.defect Error: secret/)]);
});
