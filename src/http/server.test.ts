import { expect, test } from "vitest";
import { serve } from "../../test/support/http-service.ts";
import { createToken, revokeToken } from "../application/tokens.ts";

test("[HT1] the health of the service needs no token, and says nothing else", async () => {
  const { url } = await serve();
  const answer = await fetch(`${url}/api/v1/health`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('{"ok":true}');
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
