import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { bridgeTo } from "./bridge.ts";

const message = (id: number | undefined, method: string) => JSON.stringify({ jsonrpc: "2.0", id, method });

test("[EX44] goose's bridge forwards each message with the token, and answers for a server that does not", async () => {
  const seen: { readonly headers: IncomingHttpHeaders; readonly method: string }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
      seen.push({ headers: request.headers, method });
      if (id === undefined) return response.writeHead(202).end();
      if (method === "gone") return response.writeHead(404).end('{"error":"the attempt has ended"}');
      if (method === "cut") return response.destroy();
      const result = method === "initialize" ? { protocolVersion: "2025-06-18" } : { method };
      return response.writeHead(200).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp/a1`;

  const command = bridgeTo({ url, token: "very-secret-token" }, tempDir());
  expect(basename(command[0])).toBe("pawl");
  expect(lstatSync(command[0]).isSymbolicLink()).toBe(true);
  expect(command.join(" ")).not.toContain("very-secret-token");
  for (const file of command.slice(1)) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(command[1] ?? "", "utf8")).not.toContain("very-secret-token");

  const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = text(child.stdout);
  const messages = [
    message(1, "initialize"),
    message(undefined, "notifications/initialized"),
    message(2, "tools/list"),
  ];
  child.stdin.end([...messages, "", message(3, "tools/call"), message(4, "gone"), message(5, "cut")].join("\n"));
  const answers = (await said)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly id: number });
  expect(answers.toSorted((one, other) => one.id - other.id)).toMatchObject([
    { id: 1, result: { protocolVersion: "2025-06-18" } },
    { id: 2, result: { method: "tools/list" } },
    { id: 3, result: { method: "tools/call" } },
    { id: 4, error: { message: "Pawl refuses this: the attempt has ended" } },
    { id: 5, error: { message: expect.stringMatching(/^Pawl does not answer/) } },
  ]);
  expect(seen.map(({ method }) => method)).toContain("notifications/initialized");
  for (const { headers } of seen) expect(headers.authorization).toBe("Bearer very-secret-token");
  const versions = seen.map(({ headers }) => headers["mcp-protocol-version"]);
  expect(versions).toEqual([undefined, ...versions.slice(1).map(() => "2025-06-18")]);
});
