import { expect, test } from "vitest";
import { cpuMsOf } from "../../../test/support/cpu.ts";
import type { FailureKind } from "../../domain/agent-event.ts";
import { type Complaint, failureFrom, isDenial } from "./failure.ts";

const kindOf = (message: string, more: Partial<Complaint> = {}) => failureFrom({ message, at: 0, ...more }).kind;

const said: readonly (readonly [FailureKind, string])[] = [
  ["auth", "unexpected status 401 Unauthorized: invalid x-api-key, url: http://127.0.0.1:18080/s/e429/v1/responses"],
  ["auth", "[API Error: 401 invalid x-api-key]"],
  ["auth", '[API Error: {"error":{"code":401,"message":"invalid x-api-key","status":"INTERNAL"}}]'],
  ["auth", "Authentication failed with provider at http://127.0.0.1:18080/v1 (HTTP 401)."],
  ["auth", "Not logged in · Please run /login"],
  ["auth", "Invalid API key · Fix external API key"],
  ["auth", "Invalid auth method selected."],
  ["auth", "status 403 Forbidden"],
  ["rate_limit", "exceeded retry limit, last status: 429 Too Many Requests"],
  ["rate_limit", "rate limit exceeded: Rate limit reached for gpt-5.5 on tokens per min. Please try again in 1.5s."],
  ["rate_limit", "API Error: Request rejected (429) · This request would exceed your account's rate limit."],
  ["rate_limit", "429 Quota exceeded for quota metric 'Generate Content API requests per minute'"],
  ["quota", "You’ve hit your usage limit. Upgrade to Pro or try again at Jan 7th, 2030 7:06 AM."],
  ["quota", "You've hit your usage limit. Try again later."],
  ["quota", "You've hit your 5-hour limit · resets Jan 1, 2030, 12am (UTC)"],
  ["quota", "Quota exceeded. Check your plan and billing details."],
  ["quota", "Error: 429 You exceeded your current quota, please check your plan"],
  ["quota", "Your credit balance is too low to access the API"],
  ["context", "Codex ran out of room in the model's context window. Start a new conversation."],
  ["context", "Prompt is too long · the request is ~250000 tokens (limit 200000)"],
  ["context", "API Error: 400 input is too long for this model"],
  ["network", "stream disconnected before completion: error sending request"],
  ["network", "API Error: Connection dropped (ECONNRESET). Check the gateway"],
  ["network", "fetch failed"],
  ["network", "getaddrinfo EAI_AGAIN api.example.com"],
  ["overloaded", "API Error: 529 Overloaded"],
  ["overloaded", "unexpected status 503 Service Unavailable"],
  ["server", "unexpected status 500 Internal Server Error"],
  ["max_turns", "Reached maximum number of turns (3)"],
  ["max_turns", "Reached max session turns for this session."],
  ["max_budget", "Reached maximum budget ($0.02)"],
  ["other", "No conversation found with session ID: 11111111-2222-4333-8444-555555555599"],
  ["other", "the file has 500 lines, 429 of them blank"],
  ["other", ""],
];

test.each(said)("[EX20] %s: %s", (kind, message) => {
  expect(kindOf(message)).toBe(kind);
});

test("[EX20] a name says more than a status, and a status more than words", () => {
  expect(kindOf("connection reset", { status: 500, names: ["overloaded_error"] })).toBe("overloaded");
  expect(kindOf("connection reset", { status: 529 })).toBe("overloaded");
  expect(kindOf("connection reset", { status: 200, names: ["api_error", 3, null] })).toBe("network");
  expect(kindOf("nothing known", { names: ["constructor", "__proto__", "toString"] })).toBe("other");
});

test("[EX20] a 429 is a quota where the words say so, whatever it is called", () => {
  const words = "You've hit your 5-hour limit · resets 3pm (UTC)";
  expect(kindOf(words, { status: 429, names: ["rate_limit_error"] })).toBe("quota");
  expect(kindOf("slow down", { status: 429 })).toBe("rate_limit");
  expect(kindOf(words, { status: 401 })).toBe("auth");
});

test("[EX20] a message is bounded, and so is the time that it takes", () => {
  const endless = [
    "status ".repeat(1e6),
    `quota${" ".repeat(1e6)}`,
    "1h ".repeat(1e6),
    `try again at ${"Jan ".repeat(1e6)}`,
  ];
  const read = () => {
    for (const message of endless) expect(failureFrom({ message, at: 0 }).message.length).toBeLessThanOrEqual(4_000);
  };
  expect(cpuMsOf(read)).toBeLessThan(2_000);
});

test.each([
  "MCP tool call requires approval, but approval policy is never",
  "The user rejected permission to use this specific tool call.",
  "Permission denied and could not request permission from user",
  "Tool execution denied by policy.",
  "patch rejected: writing is blocked by read-only sandbox",
])("[EX23] %j is a denial", (message) => {
  expect(isDenial(message)).toBe(true);
});

test.each([
  "cat: /etc/shadow: Permission denied",
  "EACCES: permission denied, open 'x'",
  "The operation timed out.",
  "",
])("[EX23] %j is none", (message) => {
  expect(isDenial(message)).toBe(false);
});
