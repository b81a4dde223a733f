// The clone of a guest.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { commitFile, makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import { ensureClone, fetchRun, fileAt, pushRefs, showFile } from "./clone.ts";

async function cloned() {
  const host = makeRepository();
  const path = join(tempDir("pawl-home-"), "repositories", "repo-1");
  await ensureClone(path, { from: host, mirror: null });
  const fetch = () => fetchRun(path, host, { run: "r1", base: "main", side: "" });
  return { host, path, fetch };
}

const commitOf = (repo: string, name: string) => runGit(repo, "rev-parse", name);

test("[WK41] a clone follows the branches of a run and no others, and takes what was handed over of it", async () => {
  const { host, path, fetch } = await cloned();
  runGit(path, "branch", "mine", "HEAD");
  runGit(host, "branch", "mine", "main");
  const next = commitFile(host, "a.txt", "1");
  runGit(host, "branch", "--force", "mine", next);
  for (const run of ["r1", "r2"]) runGit(host, "update-ref", `refs/pawl/handed/${run}/run/${next}`, next);
  await fetch();
  expect(commitOf(path, "refs/heads/main")).toBe(next);
  expect(commitOf(path, "refs/heads/mine")).not.toBe(next);
  expect(runGit(path, "for-each-ref", "--format=%(refname)", "refs/pawl/handed")).toBe(
    `refs/pawl/handed/r1/run/${next}`,
  );
});

test("[WK49] a repository that cannot be reached: what ssh says is told, and no password", async () => {
  vi.stubEnv("GIT_SSH_COMMAND", "sh -c 'echo \"ssh: Could not resolve hostname db\" >&2; exit 255'");
  const path = join(tempDir("pawl-home-"), "repositories", "repo-1");
  const from = "ssh://ada:secret@db/shop";
  await expect(ensureClone(path, { from, mirror: null })).rejects.toMatchObject({
    code: "REPOSITORY_AWAY",
    message: "ssh://…@db/shop cannot be reached: ssh: Could not resolve hostname db",
  });
});

test.each([
  ["url.ssh://other.example.com/.insteadOf", (host: string) => host],
  ["url.ssh://other.example.com/.pushInsteadOf", (host: string) => host],
  ["http.proxy", () => "http://other.example.com"],
  ["http.sslVerify", () => "false"],
])(
  "[WK63] what an agent writes into the configuration of a clone leads the git of its user nowhere else: %s",
  async (key, value) => {
    const { host, path, fetch } = await cloned();
    runGit(path, "config", key, value(host));
    const refused = expect.objectContaining({
      code: "REPOSITORY_UNUSABLE",
      message: expect.stringContaining("leads git elsewhere"),
    });
    await expect(fetch()).rejects.toEqual(refused);
    await expect(pushRefs(path, host, [["refs/pawl/handed/r1/run/x", commitOf(path, "HEAD")]])).rejects.toEqual(
      refused,
    );
    expect(runGit(host, "for-each-ref", "refs/pawl")).toBe("");
  },
);

test.each([
  ["core.sshCommand", "ssh://nobody@localhost:1/none"],
  ["remote.origin.uploadpack", null],
  ["core.fsmonitor", null],
  ["credential.helper", null],
])("[WK63] a program that an agent names in the configuration of a clone is not run: %s", async (key, other) => {
  const { host, path, fetch } = await cloned();
  const proof = join(tempDir(), "was-run");
  runGit(path, "config", key, `touch ${proof};`);
  for (const hook of ["pre-push", "reference-transaction"])
    writeFileSync(join(path, ".git", "hooks", hook), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
  if (other === null) await fetch();
  else await fetchRun(path, other, { run: "r1", base: "", side: "" }).catch(() => undefined);
  await pushRefs(path, host, [["refs/pawl/handed/r1/run/x", commitOf(path, "HEAD")]]);
  expect(existsSync(proof)).toBe(false);
});

test("[WK63] a run, a branch or a commit whose name is none is refused before git sees it", async () => {
  const { host, path } = await cloned();
  await expect(fetchRun(path, host, { run: "../x", base: "", side: "" })).rejects.toThrow("cannot be part of a ref");
  await expect(fetchRun(path, host, { run: "r1", base: "a..b", side: "" })).rejects.toThrow(
    "is not a valid branch name",
  );
  await expect(fetchRun(path, host, { run: "r1", base: "-x", side: "" })).rejects.toThrow("is not a valid branch name");
  await expect(fileAt(path, "--output=x", "README.md")).rejects.toThrow("is not a commit");
});

test("[WK55] git gets neither the address of the store nor its password: what it starts could tell them", async () => {
  const { path } = await cloned();
  const proof = join(tempDir(), "environment");
  const host = makeRepository();
  process.env["PAWL_STORE"] = "postgres://u:secret@host/db";
  process.env["PGPASSWORD"] = "secret";
  process.env["GIT_SSH_COMMAND"] = `env > ${proof}; false`;
  try {
    await fetchRun(path, `ssh://nobody@localhost${host}`, { run: "r1", base: "", side: "" }).catch(() => undefined);
  } finally {
    for (const name of ["PAWL_STORE", "PGPASSWORD", "GIT_SSH_COMMAND"]) delete process.env[name];
  }
  expect(readFileSync(proof, "utf8")).not.toContain("secret");
});

test("[WK62] a file is read as a commit has it, whatever is in the folder; a link is none", async () => {
  const { host, path, fetch } = await cloned();
  const first = commitFile(host, ".pawl/config.yml", "concurrency: { agents: 1 }\n");
  const second = commitFile(host, ".pawl/config.yml", "concurrency: { agents: 2 }\n");
  await fetch();
  await showFile(path, second, ".pawl/config.yml");
  expect(await fileAt(path, first, ".pawl/config.yml")).toBe("concurrency: { agents: 1 }\n");
  expect(await fileAt(path, second, "nothing.yml")).toBeNull();
});

test("[WK44] the side branch of a run comes to a clone only with refs by which it is removed again", async () => {
  const repo = makeRepository();
  runGit(repo, "branch", "pawl/1-do-it");
  const clone = join(tempDir(), "clone");
  await ensureClone(clone, { from: repo, mirror: null });
  const bring = async () => await fetchRun(clone, repo, { run: "r1", base: "main", side: "pawl/1-do-it" });
  const heads = () => runGit(clone, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");
  await bring();
  expect(heads()).toEqual(["main"]);
  runGit(repo, "update-ref", "refs/pawl/handed/r1/base", "HEAD");
  await bring();
  expect(heads()).toEqual(["main", "pawl/1-do-it"]);
  runGit(repo, "update-ref", "-d", "refs/pawl/handed/r1/base");
  await bring();
  expect(heads()).toEqual(["main"]);
});
