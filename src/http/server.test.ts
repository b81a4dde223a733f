import { expect, test } from "vitest";
import { sendRaw, serve } from "../../test/support/http-service.ts";
import { createToken, revokeToken } from "../application/access/tokens.ts";
import { Readiness } from "../application/health/readiness.ts";
import { openApiDocument } from "./openapi.ts";
import { routes } from "./routes.ts";

test("[HT1] the health of the service needs no token, and says nothing else", async () => {
  const { url } = await serve();
  const answer = await fetch(`${url}/api/v1/health`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('{"ok":true}');
});

test("[HT63] whether the service is ready needs no token, says nothing else, and has the guards of every other call", async () => {
  let drives = false;
  const { app, url, port } = await serve({ drives: () => drives });
  const ready = async () => {
    const answer = await fetch(`${url}/api/v1/ready`);
    return [answer.status, await answer.text(), answer.headers.get("cache-control")];
  };
  expect(await ready()).toEqual([503, '{"ok":false}', "no-store"]);
  drives = true;
  expect(await ready()).toEqual([200, '{"ok":true}', "no-store"]);
  const raw = async (headers: string) =>
    (await sendRaw(port, `GET /api/v1/ready HTTP/1.1\n${headers}Connection: close\n\n`)).status;
  expect(await raw(`Host: 127.0.0.1:${port}\n`)).toBe(200);
  expect(await raw("Host: evil.example.org\n")).toBe(421);
  expect(await raw(`Host: 127.0.0.1:${port}\nOrigin: https://evil.example.org\n`)).toBe(403);
  expect(await raw(`Host: 127.0.0.1:${port}\nContent-Length: 2\n`)).toBe(415);
  expect((await fetch(`${url}/api/v1/ready?more=1`)).status).toBe(400);
  const broken = { app, read: () => Promise.reject(new Error("/secret/path")) } as unknown as typeof app;
  expect(await Readiness.of(broken, () => true).isReady()).toBe(false);

  const paths = openApiDocument(routes)["paths"] as Record<string, { get: { security: []; responses: object } }>;
  const { security, responses } = paths["/api/v1/ready"]?.get ?? {};
  expect(security).toEqual([]);
  expect(Object.keys(responses ?? {})).toEqual(["200", "503", "default"]);
});

test("[HT2] every other call needs a token that is valid now", async () => {
  const { app, url } = await serve();
  const { token, name } = await createToken(app, {});
  const call = async (secret: string) =>
    (await fetch(`${url}/api/v1/nothing`, { headers: { authorization: `Bearer ${secret}` } })).status;
  expect(await call("")).toBe(401);
  expect(await call(`${token}x`)).toBe(401);
  expect(await call(token)).toBe(404);
  await revokeToken(app, name);
  expect(await call(token)).toBe(401);
});

test("[HT3] beyond loopback it listens only where there is a token", async () => {
  await expect(serve({ host: "0.0.0.0" })).rejects.toMatchObject({
    code: "REFUSED",
    hint: expect.stringContaining("token create"),
  });
});
