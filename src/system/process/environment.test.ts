import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { allowedEnvironment } from "./environment.ts";

const unattended = {
  CI: "1",
  NO_COLOR: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "gc.auto",
  GIT_CONFIG_VALUE_0: "0",
  GIT_CONFIG_KEY_1: "maintenance.auto",
  GIT_CONFIG_VALUE_1: "false",
};

test("[PS7] secrets of the parent are not passed on", () => {
  const secrets = {
    AWS_SECRET_ACCESS_KEY: "x",
    OPENAI_API_KEY: "x",
    DATABASE_URL: "x",
    NODE_OPTIONS: "x",
    PATHS: "x",
    LD_PRELOAD: "x",
  };
  expect(allowedEnvironment(secrets, [])).toEqual(unattended);
});

test("[PS7] what programs need to work at all is passed on", () => {
  const basics = { PATH: "/bin", HOME: "/root", LC_ALL: "C", XDG_CONFIG_HOME: "/c", TMPDIR: "/t", SSH_AUTH_SOCK: "/s" };
  const network = { https_proxy: "p", HTTPS_PROXY: "p", NO_PROXY: "n", NODE_EXTRA_CA_CERTS: "ca", SSL_CERT_FILE: "ca" };
  const git = { GIT_AUTHOR_NAME: "A", GIT_COMMITTER_EMAIL: "a@b" };
  const needed = { ...basics, ...network, ...git };
  expect(allowedEnvironment({ ...needed, HTTP_PROXY: undefined }, [])).toEqual({ ...needed, ...unattended });
});

test("[PS7] a key is passed on only to the agent that names it, and a pattern names nothing", () => {
  const parent = { AGENT_KEY: "secret", AGENT_KEY_2: "other" };
  expect(allowedEnvironment(parent, ["AGENT_KEY"])).toEqual({ AGENT_KEY: "secret", ...unattended });
  expect(allowedEnvironment(parent, ["AGENT_*", "MISSING", "__proto__"])).toEqual(unattended);
});

test("[PS7] nothing asks, colours or opens an editor, whatever the parent says", () => {
  const parent = { CI: "false", GIT_EDITOR: "vim", GIT_TERMINAL_PROMPT: "1" };
  expect(allowedEnvironment(parent, ["CI", "GIT_EDITOR"])).toEqual(unattended);
});

test("[PS7] an agent's git does not tidy up, unless somebody allows a configuration of his own", () => {
  const seen = (allow: readonly string[], parent: Readonly<Record<string, string>> = {}) =>
    execFileSync("git", ["config", "--get", "gc.auto"], {
      env: { ...allowedEnvironment({ ...parent, PATH: process.env["PATH"] }, allow), GIT_CONFIG_GLOBAL: "/dev/null" },
      cwd: tmpdir(),
      encoding: "utf8",
    }).trim();
  expect(seen([])).toBe("0");
  const own = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "gc.auto", GIT_CONFIG_VALUE_0: "77" };
  expect(seen(Object.keys(own), own)).toBe("77");
  expect(seen([], own)).toBe("0");
});
