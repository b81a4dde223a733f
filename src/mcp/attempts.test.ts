import { request } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { deskFor, deskIn, deskOf, editingDesk, type TestDesk } from "../../test/support/desks.ts";
import { Driver } from "../../test/support/engine/driver.ts";
import { agent, decider, featureDev, next, ralph } from "../../test/support/engine/workflow.ts";
import type { OpenDesk } from "../runtime/attempt/execute/desk.ts";
import { openToolServer } from "./attempts.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: {
    readonly id?: unknown;
    readonly result?: Readonly<Record<string, unknown>>;
    readonly error?: { readonly code: number; readonly message: string };
  } | null;
}

interface Sending {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

class Client {
  readonly open: OpenDesk;
  readonly test: TestDesk;

  constructor(open: OpenDesk, test: TestDesk) {
    this.open = open;
    this.test = test;
  }

  /** As an agent sends it, unless told otherwise. */
  async send({ path, method = "POST", headers = {}, body = "" }: Sending): Promise<Answer> {
    const url = new URL(this.open.url);
    const usual = { "Content-Type": "application/json", Authorization: `Bearer ${this.open.token}` };
    return await new Promise((resolve, reject) => {
      const sent = request(
        { host: url.hostname, port: url.port, path: path ?? url.pathname, method, headers: { ...usual, ...headers } },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
          });
          response.on("end", () => {
            const { statusCode = 0, headers: answered } = response;
            resolve({ status: statusCode, headers: answered, body: text === "" ? null : JSON.parse(text) });
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  async rpc(method: string, params?: object, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return await this.send({
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      ...(headers && { headers }),
    });
  }

  async call(name: string, given: object = {}): Promise<{ text: string; isError: boolean }> {
    const { body } = await this.rpc("tools/call", { name, arguments: given });
    const result = body?.result as { content: readonly { text: string }[]; isError?: boolean };
    return { text: result.content.map(({ text }) => text).join(), isError: result.isError ?? false };
  }

  async tools(): Promise<Readonly<Record<string, Tool>>> {
    const { body } = await this.rpc("tools/list");
    const tools = (body?.result?.["tools"] ?? []) as readonly Tool[];
    return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  }
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, { readonly enum?: readonly string[]; readonly properties?: object }>>;
    readonly required?: readonly string[];
  };
  readonly _meta: object;
}

async function clientOf(made: TestDesk = deskFor(agent("work"))): Promise<Client> {
  const server = openToolServer();
  onTestFinished(() => server.close());
  return new Client(await server.open(made.desk), made);
}

const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

describe("who is answered", () => {
  test("[MC20] an attempt has an address of its own on loopback, and its own token", async () => {
    const server = openToolServer();
    onTestFinished(() => server.close());
    const driver = new Driver(ralph(), { stories: ["US-1", "US-2"] });
    const [one, other] = [deskOf(driver, "US-1/step-001"), deskOf(driver, "US-2/step-001")];
    const [first, second] = [await server.open(one.desk), await server.open(other.desk)];
    expect(first).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/a1$/), token: "t1" });
    expect(second.url).toBe(first.url.replace(/a1$/, "a2"));
    await new Client(second, other).call("complete", { outcome: "done" });
    expect([one.desk.report, other.desk.report]).toEqual([null, expect.objectContaining({ outcome: "completed" })]);
    const mixed = { url: second.url, token: first.token, close: () => undefined };
    expect((await new Client(mixed, other).send({ body: ping })).status).toBe(401);
  });

  test("[MC21] without the right token nobody is answered, whatever else is right", async () => {
    const client = await clientOf();
    for (const Authorization of ["", "Bearer wrong", "Bearer t", "Basic t1", "Bearer t12"]) {
      const { status, headers } = await client.send({ headers: { Authorization }, body: ping });
      expect([Authorization, status, headers["www-authenticate"]]).toEqual([Authorization, 401, "Bearer"]);
    }
    expect((await client.send({ path: "/mcp/a1/wrong", body: ping })).status).toBe(401);
    expect((await client.send({ path: "/mcp/a2", body: ping })).status).toBe(404);
    expect((await client.send({ path: "/", body: ping })).status).toBe(404);
    expect(client.test.signs()).toBe(0);
  });

  test("[MC22] for agents that cannot send a header the token may be the end of the path", async () => {
    const client = await clientOf();
    expect((await client.send({ path: "/mcp/a1/t1", headers: { Authorization: "" }, body: ping })).status).toBe(200);
  });

  test("[MC23] when the attempt has ended its token is void", async () => {
    const client = await clientOf();
    client.open.close();
    expect((await client.send({ body: ping })).status).toBe(404);
    expect(client.test.desk.complete({ outcome: "done" }).accepted).toBe(false);
  });

  test("[MC24] names and origins that are not of this machine are refused", async () => {
    const client = await clientOf();
    const from = async (headers: Record<string, string>) => (await client.send({ headers, body: ping })).status;
    expect(await from({ Host: "evil.example.com" })).toBe(403);
    expect(await from({ Host: "127.0.0.1.evil.example.com" })).toBe(403);
    expect(await from({ Origin: "http://evil.example.com" })).toBe(403);
    expect(await from({ Origin: "null" })).toBe(403);
    expect(await from({ Host: "localhost:99", Origin: "http://localhost:3000" })).toBe(200);
    expect(await from({ Host: "[::1]:99", Origin: "http://[::1]" })).toBe(200);
  });

  test("[MC25] only messages of a sane size in JSON are read; there is nothing to listen to", async () => {
    const client = await clientOf();
    for (const method of ["GET", "DELETE", "PUT"]) {
      const { status, headers } = await client.send({ method });
      expect([status, headers["allow"]]).toEqual([405, "POST"]);
    }
    expect((await client.send({ headers: { "Content-Type": "text/plain" }, body: ping })).status).toBe(415);
    const large = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { x: "y".repeat(5_000_000) } });
    expect((await client.send({ body: large })).status).toBe(413);
    expect((await client.send({ headers: { "Transfer-Encoding": "chunked" }, body: large })).status).toBe(413);
    expect((await client.send({ body: ping })).status).toBe(200);
  });

  test("[MC26] nothing listens before the first desk, after the last call to close, and anew after it", async () => {
    const server = openToolServer();
    await server.close();
    const made = deskFor(agent("work"));
    const first = new Client(await server.open(made.desk), made);
    await server.close();
    await expect(first.send({ body: ping })).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    const again = new Client(await server.open(made.desk), made);
    expect((await again.send({ body: ping })).status).toBe(200);
    await server.close();
  });
});

describe("the protocol", () => {
  test.each([
    ["2025-03-26", "2025-03-26"],
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
    ["2099-01-01", "2025-11-25"],
  ])("[MC30] whoever speaks %s is answered in %s", async (asked, answered) => {
    const client = await clientOf();
    const { body } = await client.rpc("initialize", { protocolVersion: asked, capabilities: {}, clientInfo: {} });
    expect(body?.result).toMatchObject({
      protocolVersion: answered,
      capabilities: { tools: {} },
      serverInfo: { name: "pawl", version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    });
    expect(Object.keys(body?.result?.["capabilities"] as object)).toEqual(["tools"]);
  });

  test("[MC31] a request in a version that we do not speak is refused; a question for a newer one learns that we do not know it", async () => {
    const client = await clientOf();
    const headers = { "MCP-Protocol-Version": "2026-07-28" };
    expect((await client.rpc("tools/list", {}, headers)).status).toBe(400);
    const probe = await client.rpc("server/discover", {}, headers);
    expect([probe.status, probe.body?.error?.code]).toEqual([200, -32_601]);
    expect((await client.rpc("tools/list", {}, { "MCP-Protocol-Version": "2025-06-18" })).status).toBe(200);
  });

  test("[MC32] notifications and answers are taken in silence", async () => {
    const client = await clientOf();
    for (const message of [{ method: "notifications/initialized" }, { id: 9, result: {} }]) {
      const { status, body } = await client.send({ body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
      expect([status, body]).toEqual([202, null]);
    }
  });

  test.each([
    ["{", -32_700],
    ["[]", -32_600],
    ['"hello"', -32_600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32_600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600],
    ['{"jsonrpc":"2.0","id":1}', -32_600],
  ])("[MC33] %s is no message", async (body, code) => {
    const client = await clientOf();
    const answer = await client.send({ body });
    expect([answer.status, answer.body?.error?.code, answer.body?.id]).toEqual([400, code, null]);
  });

  test.each([
    ["resources/list", {}, -32_601],
    ["prompts/list", {}, -32_601],
    ["logging/setLevel", { level: "info" }, -32_601],
    ["tools/call", { name: "launch_missiles" }, -32_602],
    ["tools/list", { cursor: "x" }, -32_602],
    ["initialize", {}, -32_602],
    ["ping", [1], -32_602],
  ])("[MC34] %s is answered with an error of the protocol", async (method, params, code) => {
    const client = await clientOf();
    const { status, body } = await client.rpc(method, params);
    expect([status, body?.error?.code, body?.id]).toEqual([200, code, 1]);
  });

  test("[MC35] batches are answered in the version that has them, and refused in those that do not", async () => {
    const client = await clientOf();
    const batch = JSON.stringify([
      JSON.parse(ping),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { ...JSON.parse(ping), id: 2 },
    ]);
    const old = await client.send({ headers: { "MCP-Protocol-Version": "2025-03-26" }, body: batch });
    expect(old.body).toEqual([1, 2].map((id) => ({ jsonrpc: "2.0", id, result: {} })));
    const recent = await client.send({ headers: { "MCP-Protocol-Version": "2025-11-25" }, body: batch });
    expect([recent.status, recent.body?.error?.code]).toEqual([400, -32_600]);
  });
});

describe("the tools", () => {
  test("[MC40] they are listed with a schema, and so that agents which hide tools show them", async () => {
    const client = await clientOf();
    const tools = await client.tools();
    expect(Object.keys(tools)).toEqual(["complete", "fail", "progress", "ask_human", "get_context"]);
    for (const { description, inputSchema, _meta } of Object.values(tools)) {
      expect(description).not.toBe("");
      expect(inputSchema).toMatchObject({ type: "object" });
      expect(_meta).toEqual({ "anthropic/alwaysLoad": true });
    }
  });

  test("[MC60] a command of Pawl hands in a whole answer by a tool that no agent sees, and the last report counts", async () => {
    const client = await clientOf();
    const { desk, lines } = client.test;
    expect((await client.rpc("tools/call", { name: "nothing" })).body?.error?.message).not.toContain("hand_in");
    expect(await client.call("complete", { outcome: "done" })).toMatchObject({ isError: false });
    expect(await client.call("hand_in", { outcome: "ran", text: "ISSUES: x\nSTATUS: retry" })).toMatchObject({
      isError: false,
      text: expect.stringContaining("end your turn"),
    });
    expect([desk.report, desk.handedIn]).toEqual([null, { outcome: "ran", text: "ISSUES: x\nSTATUS: retry" }]);
    expect(lines.at(-1)).toBe("step: ISSUES: x");
    await client.call("complete", { outcome: "done" });
    expect([desk.report, desk.handedIn]).toEqual([expect.objectContaining({ outcome: "completed" }), null]);
    await client.call("hand_in", { outcome: "failed", text: "no compiler" });
    expect(desk.handedIn).toEqual({ outcome: "failed", text: "", why: "no compiler" });
    client.open.close();
    expect(desk.handIn({ outcome: "ran", text: "STATUS: done" })).toMatchObject({ accepted: false });
    expect(desk.handedIn).toMatchObject({ outcome: "failed" });
  });

  test("[MC41] edit_workflow is there only where the step may edit", async () => {
    const client = await clientOf(editingDesk());
    expect(Object.keys(await client.tools())).toContain("edit_workflow");
    const skip = { operation: "skip", target_step_id: "step-003", reason: "it is small" };
    expect(await client.call("edit_workflow", { operations: [skip] })).toMatchObject({ isError: false });
    expect(client.test.desk.edits).toMatchObject({ operations: [{ op: "skip", step: "step-003" }] });
  });

  test("[MC42] complete is made to the measure of its step", async () => {
    const schemaOf = async (made: TestDesk) => (await (await clientOf(made)).tools())["complete"]?.inputSchema;
    const worker = await schemaOf(deskFor(agent("work", { produces: ["branch", "pr"] })));
    expect(worker?.properties["outcome"]?.enum).toEqual(["done", "retry"]);
    expect(Object.keys(worker?.properties["outputs"]?.properties ?? {})).toEqual(["branch", "pr"]);
    expect(worker?.required).toEqual(["outcome"]);
    const reviewer = await schemaOf(deskFor(decider("review", { approved: next, needs_fixes: next })));
    expect(reviewer?.properties["outcome"]?.enum).toEqual(["approved", "needs_fixes"]);
    const summing = await schemaOf(deskFor(agent("work", { summary: true })));
    expect(Object.keys(summing?.properties ?? {})).toEqual(["summary", "outcome", "outputs"]);
    expect(Object.keys((await schemaOf(deskIn(featureDev(), "plan")))?.properties ?? {})).toContain("stories");
  });

  test("[MC43] wrong arguments are answered so that a model can correct itself, and then count", async () => {
    const client = await clientOf();
    const wrong = await client.call("complete", { outcome: "finished", summary: 5 });
    expect(wrong).toEqual({ isError: true, text: expect.stringMatching(/outcome: .*done.*retry/) });
    expect(wrong.text).toContain("summary");
    expect(client.test.desk.report).toBeNull();
    expect(await client.call("complete", { outcome: "done", outputs: { pr: 3 } })).toMatchObject({ isError: false });
    expect(client.test.desk.report).toMatchObject({ outcome: "completed", outputs: { pr: "3" } });
  });

  test("[MC43] what the desk refuses is an error of the tool, with its reason", async () => {
    const client = await clientOf(deskFor(agent("work", { expects: "TESTS: green" })));
    expect(await client.call("complete", { outcome: "done" })).toEqual({
      isError: true,
      text: expect.stringContaining("TESTS: green"),
    });
  });

  test("[MC44] each tool reaches the desk of its attempt", async () => {
    const client = await clientOf();
    expect(await client.call("progress", { message: "reading", percent: 10 })).toMatchObject({ isError: false });
    expect(JSON.parse((await client.call("get_context")).text)).toMatchObject({
      run: { number: 7 },
      step: { name: "work" },
    });
    await client.call("fail", { reason: "no network", kind: "blocked" });
    expect(client.test.desk.report).toMatchObject({ outcome: "failed", asks: expect.stringContaining("no network") });
    const asked = await client.call("ask_human", { question: "Which?", options: ["a", "b"] });
    expect(asked.text).toContain("End your turn now");
    expect(client.test.desk.report).toMatchObject({ asked: { question: "Which?", options: ["a", "b"] } });
    expect(client.test.lines[0]).toBe("progress: 10 % reading");
  });
});
