import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clientOf } from "../../test/support/api-client.ts";
import { type Service, sendRaw, serve } from "../../test/support/http-service.ts";
import { createSignInCode } from "../application/access/sign-in.ts";
import { revokeToken, tokens } from "../application/access/tokens.ts";
import { signedInContract } from "../contracts/http-documents.ts";
import { usualLimits } from "./limits.ts";

const signIn = async ({ url }: Pick<Service, "url">, body: unknown) =>
  await fetch(`${url}/api/v1/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const runsWith = async ({ url }: Pick<Service, "url">, token: string) =>
  (await fetch(`${url}/api/v1/runs`, { headers: { authorization: `Bearer ${token}` } })).status;

test("[PG7] a code is exchanged for a token of a browser, which is listed and can be revoked", async () => {
  const service = await serve();
  const { app } = service;
  const { code } = await createSignInCode(app, 60_000);
  const answer = await signIn(service, { code });
  expect(answer.status).toBe(200);
  const { token, name, role, expiresAt } = signedInContract.parse(await answer.json());
  expect({ token, name, role }).toEqual({
    token: expect.stringMatching(/^pawl_[\w-]{43}$/),
    name: expect.stringMatching(/^browser-[0-9a-f]{12}$/),
    role: "operate",
  });
  const [listed] = (await tokens(app)).tokens;
  expect(listed).toMatchObject({ name, role, expiresAt });
  expect(Date.parse(expiresAt) - Date.parse(listed?.createdAt ?? "")).toBe(30 * 24 * 60 * 60_000);
  expect(await runsWith(service, token)).toBe(200);
  await revokeToken(app, name);
  expect(await runsWith(service, token)).toBe(401);
});

test("[PG8] a code is used once, also by many at the same moment", async () => {
  const { app, ...first } = await serve();
  // Two services of one store: as two processes would.
  const second = await serve({ app });
  const { code } = await createSignInCode(app, 60_000);
  const answers = await Promise.all(
    [first, second, first, second, first, second].map((each) => signIn(each, { code })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  expect((await tokens(app)).tokens).toHaveLength(1);
  expect((await signIn(first, { code })).status).toBe(401);
});

test("[PG8] a wrong, a used and an expired code are refused with the same words, and what is no code is 400", async () => {
  const service = await serve();
  const { app } = service;
  const { code: used } = await createSignInCode(app, 60_000);
  expect((await signIn(service, { code: used })).status).toBe(200);
  const { code: right } = await createSignInCode(app, 60_000);
  const { code: expired } = await createSignInCode(app, 0);
  const said = new Set<string>();
  for (const code of ["x", used, expired, right.slice(1), `${right}x`, right.toLowerCase(), "%00", "' or 1=1 --"]) {
    const answer = await signIn(service, { code });
    expect({ code, status: answer.status }).toEqual({ code, status: 401 });
    said.add(await answer.text());
  }
  expect([...said].map((text) => JSON.parse(text))).toEqual([
    expect.objectContaining({ code: "UNAUTHENTICATED", hint: "`pawl open` makes a new one" }),
  ]);
  for (const body of [
    {},
    { code: "" },
    { code: 7 },
    { code: [right] },
    { code: right, role: "read" },
    "x",
    { code: "x".repeat(201) },
  ])
    expect({ body, status: (await signIn(service, body)).status }).toEqual({ body, status: 400 });
  // A token is no code, and a code is no token.
  expect((await signIn(service, { code: await service.token("operate") })).status).toBe(401);
  expect(await runsWith(service, right)).toBe(401);
  expect((await signIn(service, { code: right })).status).toBe(200);
});

test("[PG8 HT12] guesses of codes are limited, and the right one is not locked out", async () => {
  const statuses = async (failedSignIns: number) => {
    const service = await serve({}, { limits: { ...usualLimits, failedSignIns } });
    const found = [];
    for (let guess = 0; guess < 3; guess += 1) found.push((await signIn(service, { code: `guess-${guess}` })).status);
    // Wrong tokens and wrong codes count together.
    found.push(await runsWith(service, "pawl_wrong"));
    const { code } = await createSignInCode(service.app, 60_000);
    return [...found, (await signIn(service, { code })).status];
  };
  expect(await statuses(2)).toEqual([401, 401, 429, 429, 200]);
  expect(await statuses(Number.POSITIVE_INFINITY)).toEqual([401, 401, 401, 401, 200]);
});

test("[PG8 HT6 HT7] no other site signs in, and a code in the address is none", async () => {
  const { app, port } = await serve();
  const { code } = await createSignInCode(app, 60_000);
  const post = async (headers: string, path = "/api/v1/sign-in", body = JSON.stringify({ code })) =>
    (
      await sendRaw(
        port,
        `POST ${path} HTTP/1.1\nHost: 127.0.0.1:${port}\n${headers}Content-Length: ${body.length}\nConnection: close\n\n${body}`,
      )
    ).status;
  const json = "Content-Type: application/json\n";
  expect(await post(`${json}Origin: http://evil.example\n`)).toBe(403);
  expect(await post(`${json}Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\n`)).toBe(
    403,
  );
  expect(await post("Content-Type: text/plain\n")).toBe(415);
  expect(await post(json, `/api/v1/sign-in?code=${code}`)).toBe(400);
  expect(await post(json, `/api/v1/sign-in?code=${code}`, "{}")).toBe(400);
  expect(await post(`${json}Origin: http://127.0.0.1:${port}\nSec-Fetch-Site: same-origin\n`)).toBe(200);
});

test("[PG9] codes and tokens are in no log and no file; what has expired is removed", async () => {
  const logged: string[] = [];
  const service = await serve({ log: (...line) => logged.push(JSON.stringify(line)) });
  const { app } = service;
  const { store } = (await app.read()).parts;
  const old = { role: "operate", createdAt: 1, expiresAt: 2 } as const;
  for (const name of ["browser-old", "ci"]) await store.addToken({ ...old, name, hash: name });
  const { code: expired } = await createSignInCode(app, 0);
  const { code } = await createSignInCode(app, 60_000);
  const { token, name } = signedInContract.parse(await (await signIn(service, { code })).json());
  await signIn(service, { code });
  await clientOf(service, "read").get("/api/v1/openapi.json");
  expect((await tokens(app)).tokens.map((each) => each.name)).toEqual(["ci", name, expect.stringMatching(/^read-/)]);
  const files = readdirSync(app.home.dir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  expect(files.map((file) => file.name)).toContain("pawl.db");
  for (const secret of [code, token, expired])
    for (const text of [...logged, ...files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))])
      expect(text.includes(secret)).toBe(false);
});
