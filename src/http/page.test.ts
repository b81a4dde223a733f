import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Service, sendRaw, serve } from "../../test/support/http-service.ts";
import { tempDir } from "../../test/support/repository.ts";
import { fullProtection } from "./protection.ts";

const index = "<!doctype html><title>Pawl</title>";
const script = "export const page = 1;";

/** What the build leaves, with a secret beside it. */
function builtPage(): string {
  const dir = tempDir("pawl-page-");
  const folder = join(dir, "page");
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(dir, "secret.txt"), "secret");
  writeFileSync(join(folder, "secret.txt"), "secret");
  symlinkSync(join(dir, "secret.txt"), join(folder, "assets", "link.js"));
  writeFileSync(join(folder, "index.html"), index);
  writeFileSync(join(folder, "icon.svg"), "<svg/>");
  writeFileSync(join(folder, "assets", "main-abc123.js"), script);
  const files = {
    "/": { file: "index.html", type: "text/html; charset=utf-8" },
    "/icon.svg": { file: "icon.svg", type: "image/svg+xml" },
    "/assets/main-abc123.js": { file: "assets/main-abc123.js", type: "text/javascript; charset=utf-8" },
  };
  writeFileSync(join(folder, "files.json"), JSON.stringify(files));
  return folder;
}

const request = (service: Service, line: string, headers = "") =>
  sendRaw(service.port, `${line} HTTP/1.1\nHost: 127.0.0.1:${service.port}\n${headers}Connection: close\n\n`);

test("[PG1] the files of the page are served with their types; those with a hash in their name are kept for ever, the others never", async () => {
  const { url } = await serve({ page: builtPage() });
  const main = await fetch(`${url}/assets/main-abc123.js`);
  expect(await main.text()).toBe(script);
  expect(main.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(main.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  for (const [path, type] of [
    ["/", "text/html; charset=utf-8"],
    ["/icon.svg", "image/svg+xml"],
  ] as const) {
    const answer = await fetch(`${url}${path}`);
    expect(answer.headers.get("content-type")).toBe(type);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  }
});

test("[PG1] HEAD has the headers of GET and no body, and no other method finds the page", async () => {
  const service = await serve({ page: builtPage() });
  const head = await request(service, "HEAD /runs/7");
  expect(head.status).toBe(200);
  expect(head.text).toMatch(/content-length: 34\r\n/i);
  expect(head.text).not.toContain("<!doctype");
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
    expect({ method, status: (await request(service, `${method} /`)).status }).toEqual({ method, status: 404 });
});

test("[PG2] every address of the page gets the same HTML, with a query or without, and no other path does", async () => {
  const { url } = await serve({ page: builtPage() });
  const shown = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    return { path, status: answer.status, isPage: (await answer.text()) === index };
  };
  const addresses = [
    "/",
    "/runs/7",
    "/runs/kq3x",
    "/runs/7/events",
    "/runs/7?at=175",
    "/gates/kq3x.1",
    "/attempts/at-12",
  ];
  addresses.push(
    "/compare?a=1&b=2",
    "/workflows",
    "/workflows/feature-dev",
    "/new",
    "/health",
    "/projects",
    "/sessions",
  );
  for (const path of addresses) expect(await shown(path)).toEqual({ path, status: 200, isPage: true });
  const others = [
    "/index.html",
    "/files.json",
    "/runs",
    "/runs/",
    "/runs/7/",
    "/runs/7/Events",
    "/runs/7/a/b",
    "/gates",
  ];
  others.push("/gates/a/b", "/attempts", "/assets", "/assets/", "/assets/other.js", "/x", "/health/x", "/favicon.ico");
  for (const path of others) expect(await shown(path)).toEqual({ path, status: 404, isPage: false });
});

test("[PG3] at an unknown address a browser gets a page in words with a way home, a program the problem", async () => {
  const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const { url } = await serve({ page: builtPage() });
  const page = await fetch(`${url}/run/7`, { headers: { accept } });
  expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.headers.get("content-security-policy")).not.toContain("script-src");
  const html = await page.text();
  expect(html).toContain("There is nothing at this address");
  expect(html).toContain('<a href="/">');
  expect(html).not.toMatch(/<script|run\/7/);
  for (const other of ["*/*", "application/json", ""]) {
    const problem = await fetch(`${url}/run/7`, { headers: { accept: other } });
    expect([problem.status, problem.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  }
  const api = await fetch(`${url}/api/v1/nothing`, { headers: { accept } });
  expect([api.status, api.headers.get("content-type")]).toEqual([401, "application/problem+json"]);
  const { url: unbuilt } = await serve({ page: tempDir("pawl-no-page-") });
  const missing = await fetch(`${unbuilt}/runs/7`, { headers: { accept } });
  expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining("npm run build")]);
});

test("[PG3] no spelling of a path reaches a file that is not in the map, also without the guard of spellings", async () => {
  const page = builtPage();
  const guards = fullProtection.guards.filter((name) => name !== "spelling");
  for (const service of [await serve({ page }), await serve({ page }, { guards })]) {
    for (const path of [
      "/secret.txt",
      "/../secret.txt",
      "/%2e%2e/secret.txt",
      "/assets/../secret.txt",
      "/assets/..%2fsecret.txt",
      "/assets/%2e%2e/secret.txt",
      "/assets/..\\secret.txt",
      "/assets//main-abc123.js",
      "//assets/main-abc123.js",
      "/ASSETS/main-abc123.js",
      "/assets/main-abc123.js/",
      "/assets/main-abc123.js%00",
      "/assets/main%2dabc123.js",
      "/assets/link.js",
      "/runs/../secret.txt",
      "/runs/%2e%2e/%2e%2e/secret.txt",
      "/constructor",
      "/__proto__",
    ]) {
      const { status, text } = await request(service, `GET ${path}`);
      expect({ path, status, leaks: text.endsWith("secret") }).toEqual({
        path,
        // Some are no request at all.
        status: expect.toBeOneOf([400, 404]),
        leaks: false,
      });
      expect(text).not.toContain(script);
    }
  }
});

test("[PG4] a link in a chat leads to the page; nothing else of another site does, and the API stays closed", async () => {
  const page = builtPage();
  const service = await serve({ page });
  const token = `Authorization: Bearer ${await service.token("read")}\n`;
  const from = (site: string, mode: string, dest: string) =>
    `Sec-Fetch-Site: ${site}\nSec-Fetch-Mode: ${mode}\nSec-Fetch-Dest: ${dest}\n`;
  const clicked = from("cross-site", "navigate", "document");
  for (const path of ["/", "/runs/7", "/gates/kq3x.1?from=chat"])
    expect((await request(service, `GET ${path}`, clicked)).status).toBe(200);
  const refused = [
    ["GET /api/v1/runs", clicked + token],
    ["GET /api/v1/health", clicked],
    ["GET /assets/main-abc123.js", clicked],
    ["GET /assets/main-abc123.js", from("cross-site", "no-cors", "script")],
    ["GET /runs/7", from("cross-site", "navigate", "iframe")],
    ["GET /runs/7", from("same-site", "no-cors", "image")],
    ["GET /runs/7", from("cross-site", "cors", "empty")],
    ["GET /", `${clicked}Origin: http://evil.example\n`],
    ["POST /", clicked],
  ] as const;
  const statuses = async (to: Service) => {
    const found = [];
    for (const [line, headers] of refused) found.push((await request(to, line, headers)).status);
    return found;
  };
  expect(await statuses(service)).toEqual(refused.map(() => 403));
  const guards = fullProtection.guards.filter((name) => name !== "site" && name !== "origin");
  expect(await statuses(await serve({ app: service.app, page }, { guards }))).toEqual(
    refused.map(([line]) => (line.startsWith("POST") ? 404 : 200)),
  );
});

test("[PG5] where the page is not built, its addresses say how to build it; once it is there, it is served", async () => {
  const page = builtPage();
  const files = join(page, "files.json");
  rmSync(files);
  const logged: string[] = [];
  const { url } = await serve({ page, log: (event) => logged.push(event) });
  const missing = await fetch(`${url}/runs/7`);
  expect(missing.status).toBe(404);
  expect(missing.headers.get("content-type")).toBe("application/problem+json");
  expect(await missing.json()).toMatchObject({
    code: "NOT_FOUND",
    detail: "the page is not built",
    hint: expect.stringContaining("npm run build"),
  });
  expect(await (await fetch(`${url}/nothing`)).json()).toMatchObject({ detail: "there is nothing at this path" });
  expect(logged).toContain("page.not_read");
  for (const file of ["../secret.txt", "/etc/hostname", "assets/../../secret.txt", "."]) {
    writeFileSync(files, JSON.stringify({ "/": { file, type: "text/plain" } }));
    expect({ file, status: (await fetch(url)).status }).toEqual({ file, status: 404 });
  }
  writeFileSync(files, JSON.stringify({ "/": { file: "index.html", type: "text/html" } }));
  expect(await (await fetch(`${url}/runs/7`)).text()).toBe(index);
  // Kept: the page of a service does not change under it.
  rmSync(page, { recursive: true });
  expect(await (await fetch(`${url}/runs/7`)).text()).toBe(index);
});

test("[PG6] the page is in no frame, runs no inline script, shares no window, and tells nobody where it was", async () => {
  const page = builtPage();
  for (const [protection, isProtected] of [
    [{}, true],
    [{ headers: {} }, false],
  ] as const) {
    const { url } = await serve({ page }, protection);
    for (const path of ["/", "/runs/7", "/assets/main-abc123.js"]) {
      const { headers } = await fetch(`${url}${path}`);
      const policy = headers.get("content-security-policy") ?? "";
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "trusted-types pawl-push",
      ])
        expect(policy.includes(part)).toBe(isProtected);
      expect(policy).not.toContain("unsafe");
      for (const [name, value] of [
        ["x-frame-options", "DENY"],
        ["cross-origin-opener-policy", "same-origin"],
        ["cross-origin-resource-policy", "same-origin"],
        ["x-content-type-options", "nosniff"],
        ["referrer-policy", "no-referrer"],
      ] as const)
        expect(headers.get(name) === value).toBe(isProtected);
      expect(headers.get("set-cookie")).toBeNull();
    }
  }
});
