import { expect, test } from "vitest";
import { foldKeys } from "./fold.ts";

test("[A57] fields may be written in camelCase", () => {
  const { value } = foldKeys({
    loop: { verifyEach: true, verifyStep: "verify", freshSession: true },
    cron: { intervalMs: 1 },
  });
  expect(value).toEqual({
    loop: { verify_each: true, verify_step: "verify", fresh_session: true },
    cron: { interval_ms: 1 },
  });
});

test("[WF5] words of the author are not folded", () => {
  const written = {
    agents: { codeReviewer: { files: { "readMe.md": "a" } } },
    context: { buildCmd: "x" },
    on: { needsFixes: { backTo: "a" }, rejected: { redTests: "again" } },
  };
  expect(foldKeys(written).value).toEqual({
    ...written,
    on: { needsFixes: { back_to: "a" }, rejected: { redTests: "again" } },
  });
});

test("under `rejected` the fields of a route are folded and reasons are not", () => {
  expect(foldKeys({ on: { rejected: { backTo: "a", atMost: 2 } } }).value).toEqual({
    on: { rejected: { back_to: "a", at_most: 2 } },
  });
});

test("[WF44] so it is under each option of a gate", () => {
  const written = { options: { sendBack: { backTo: "a" }, no: { default: { goTo: "b" }, tooLarge: "fail" } } };
  expect(foldKeys(written).value).toEqual({
    options: { sendBack: { back_to: "a" }, no: { default: { go_to: "b" }, tooLarge: "fail" } },
  });
});

test("an empty value means not given, except where the key alone says it", () => {
  expect(foldKeys({ name: null, route: { again: null, at_most: 2 } }).value).toEqual({
    route: { again: null, at_most: 2 },
  });
});

test("a field in both spellings is reported", () => {
  expect(foldKeys({ steps: [{ max_retries: 1, maxRetries: 2 }] }).twice).toEqual([["steps", 0, "maxRetries"]]);
});
