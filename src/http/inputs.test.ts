// What a request brings that no route takes: unknown keys, bodies where there are none, and bytes that are not HTTP at all.

import { expect, test } from "vitest";
import { clientOf } from "../../test/support/api-client.ts";
import { sendRaw, serve } from "../../test/support/http-service.ts";
import { secureHeaders } from "./secure-headers.ts";

test("[HT28] a number is digits in its range and nothing else", async () => {
  const service = await serve();
  const reader = clientOf(service, "read");
  const wrong = ["", "0x10", "-1", "1e9", "1.5", "+1", " 1", "NaN", "9".repeat(16)];
  const paths = [
    "attempts/x/transcript?before=",
    "attempts/x/log?from=",
    "events?after=",
    "runs?limit=",
    "events?limit=",
  ];
  for (const path of paths)
    for (const value of wrong) {
      const { status, body } = await reader.get(`/api/v1/${path}${encodeURIComponent(value)}`);
      expect({ path, value, status, detail: body.detail }).toEqual({
        path,
        value,
        status: 400,
        detail: expect.stringMatching(/: must be a whole number in digits, \d/),
      });
    }
  expect((await reader.get("/api/v1/runs?limit=201")).body.detail).toContain("1 to 200");
  for (const good of ["runs?limit=200", "events?after=0&limit=5000"])
    expect((await reader.get(`/api/v1/${good}`)).status).toBe(200);
  expect((await reader.get("/api/v1/attempts/x/transcript?before=000000000000007")).status).toBe(404);
});

test("[HT28] a key that a call does not know is 400, also where it knows none", async () => {
  const service = await serve();
  const [reader, operator] = [clientOf(service, "read"), clientOf(service, "operate")];
  for (const path of ["runs/1", "runs/1/why", "gates", "workflows", "openapi.json"]) {
    const { status, body } = await reader.get(`/api/v1/${path}?more=1`);
    expect({ path, status, detail: body.detail }).toEqual({
      path,
      status: 400,
      detail: expect.stringContaining("more"),
    });
  }
  expect(await operator.post("/api/v1/runs/1/pause", { reason: "lunch" })).toMatchObject({
    status: 400,
    body: { code: "INPUT_INVALID", details: [expect.stringContaining("reason")] },
  });
  expect((await operator.post("/api/v1/runs/1/pause", {})).status).toBe(404);
});

test("[HT28] a key __proto__ is refused and not lost, and a body that is nested without end is 400", async () => {
  const { port, token } = await serve();
  const post = async (path: string, body: string) =>
    await sendRaw(
      port,
      `POST /api/v1/${path} HTTP/1.1\nHost: 127.0.0.1:${port}\nAuthorization: Bearer ${await token("operate")}\nContent-Type: application/json\nContent-Length: ${body.length}\nConnection: close\n\n${body}`,
    );
  const lost = await post("runs", '{"workflow":"x","task":"x","repo":"/x","context":{"a":"1","__proto__":"2"}}');
  expect(lost).toMatchObject({ status: 400, text: expect.stringContaining("__proto__") });
  const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const deep = await post("runs/1/edit", `{"operations":[{"add":${nested}}]}`);
  expect(deep).toMatchObject({ status: 400, text: expect.stringContaining("nested deeper") });
});

test("[HT7 HT11] a GET with a body is refused before the body is read", async () => {
  const { port } = await serve();
  for (const framing of ["Transfer-Encoding: chunked", "Content-Length: 1073741824"]) {
    const { status } = await sendRaw(port, `GET /api/v1/health HTTP/1.1\nHost: 127.0.0.1:${port}\n${framing}\n\n`);
    expect({ framing, status }).toEqual({ framing, status: 415 });
  }
});

test("[HT5 HT9 HT10] what is no proper request gets a problem with every header, too", async () => {
  const { port } = await serve();
  const host = `Host: 127.0.0.1:${port}\n`;
  for (const [request, expected] of [
    ["nonsense\n\n", 400],
    [`GET api HTTP/1.1\n${host}\n`, 400],
    [`GET / HTTP/1.1\n${host}Long: ${"x".repeat(20_000)}\n\n`, 431],
    [`POST / HTTP/1.1\n${host}Content-Length: 1\nTransfer-Encoding: chunked\n\n`, 400],
    [`GET /api/v1/health HTTP/1.1\n${host}Expect: wonders\nConnection: close\n\n`, 417],
    ["GET /api/v1/health HTTP/1.1\nConnection: close\n\n", 421],
  ] as const) {
    const { status, text } = await sendRaw(port, request);
    expect({ request: request.slice(0, 60), status }).toEqual({ request: request.slice(0, 60), status: expected });
    const [head = ""] = text.split("\r\n\r\n", 1);
    // Without what chunks have around it.
    const body = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
    expect(head.toLowerCase()).toContain("content-type: application/problem+json");
    for (const name of Object.keys(secureHeaders)) expect(head.toLowerCase()).toContain(`${name}: `);
    expect(JSON.parse(body)).toMatchObject({ status, code: expect.any(String), hint: expect.stringMatching(/\w/) });
  }
});
