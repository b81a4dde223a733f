// Which variables are secret: names that people use, and values that everybody knows.

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { isSecretName, secretValues } from "./variables.ts";

const namesIn = (env: Readonly<Record<string, string>>) => secretValues(env).map(({ name }) => name);
const valuesIn = (env: Readonly<Record<string, string>>) => secretValues(env).map(({ value }) => value);

test("[SE1] a name says that its variable is secret", () => {
  const secret = [
    "MY_SECRET",
    "GITHUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "PGPASSWORD",
    "MYSQL_PWD",
    "DB_PASS",
    "APIKEY",
    "OPENAI_API_KEY",
    "SSH_PASSPHRASE",
    "GOOGLE_CREDENTIALS",
    "DOCKER_AUTH_CONFIG",
    "SESSION_COOKIE",
    "SENTRY_DSN",
    "SIGNING_PRIVATE_PEM",
    "SLACK_WEBHOOK_URL",
    "npm_config__authToken",
    "clientSecret",
    "VAULT_SECRET_ID",
    "API_KEY2",
    "apiKey2",
    "TOKEN1",
  ];
  expect(secret.filter((name) => !isSecretName(name))).toEqual([]);
});

test("[SE1] names that only sound like it are left alone", () => {
  const plain = [
    "PATH",
    "PWD",
    "OLDPWD",
    "KEYBOARD_LAYOUT",
    "XAUTHORITY",
    "GIT_AUTHOR_NAME",
    "GIT_ASKPASS",
    "COMPASS",
    "MONKEY",
    "AWS_ACCESS_KEY_ID",
    "GPG_KEY",
    "DEPLOY_PUBLIC_KEY",
    "AUTH_DOMAIN",
    "TOKENIZERS_PARALLELISM",
    "PAWL_TOKEN",
  ];
  expect(plain.filter(isSecretName)).toEqual([]);
});

test("[SE1] words, numbers, places and plain addresses are no secrets, whatever their variable is called", () => {
  const values = ["short", "postgres", "Changeme", "local-dev", "NO_REPLY", "12345678", "1.2.3.4:5432"];
  const places = [
    tmpdir(),
    `${tmpdir()}/key.pem`,
    "~/.ssh/id_ed25519",
    "./secrets.json",
    "https://login.example.com/a",
  ];
  const env = Object.fromEntries([...values, ...places].map((value, index) => [`A_SECRET_${index}`, value]));
  expect(valuesIn(env)).toEqual([]);
});

test("[SE1] what somebody made up to be secret is one, also when it begins like a path", () => {
  const values = ["hunter22", "aBxKqZwT", "correct-horse-battery", "1234567890123456", "/zQ9w+Pl0/1x", "p äß word!"];
  const env = Object.fromEntries(values.map((value, index) => [`A_SECRET_${index}`, ` ${value}\n`]));
  expect(valuesIn(env)).toEqual(values);
});

test("[SE1] of several in one variable each is one", () => {
  const keys = "sk1-abc-123456789,sk2-def-123456789";
  expect(valuesIn({ MY_API_KEYS: keys })).toEqual([keys, "sk1-abc-123456789", "sk2-def-123456789"]);
  expect(valuesIn({ MY_API_KEY: "one,two,three,four" })).toEqual(["one,two,three,four"]);
});

test("[SE1] a password in an address is one in any variable, as it is written and as it is meant", () => {
  const env = { DATABASE_URL: "postgres://app:p%40ss-w0rd@db.example.com/app", HTTP_PROXY: "http://proxy:3128" };
  expect(valuesIn(env)).toEqual(["p%40ss-w0rd", "p@ss-w0rd"]);
  expect(valuesIn({ DATABASE_URL: "postgres://postgres:postgres@localhost/app" })).toEqual([]);
});

test("[SE1] the address of a webhook is a key itself", () => {
  expect(namesIn({ SLACK_WEBHOOK_URL: "https://hooks.example.com/services/T0/B0/xyz" })).toEqual(["SLACK_WEBHOOK_URL"]);
});

test("[SE1] what the configuration calls a secret is one, whatever it is called", () => {
  expect(secretValues({ CHAT: "a1b2c3d4e5", OTHER: "a1b2c3d4e6" }, ["CHAT"])).toEqual([
    { name: "CHAT", value: "a1b2c3d4e5" },
  ]);
});
