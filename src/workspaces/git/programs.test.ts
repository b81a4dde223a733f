import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { countGit } from "../../../test/support/git-count.ts";
import { makeRepository, runGit, tempDir, writeFiles } from "../../../test/support/repository.ts";
import { git, gitLine } from "./git.ts";
import { overridesIn } from "./programs.ts";

const attributes = "* filter=evil merge=evil diff=evil\n*.up filter=up\n";

/** A program that leaves a file behind, and a repository whose configuration an agent can write. */
function scene() {
  const [dir, repo] = [tempDir(), makeRepository({ "a.txt": "a\n", ".gitattributes": attributes })];
  vi.stubEnv("HOME", join(dir, "home"));
  vi.stubEnv("XDG_CONFIG_HOME", join(dir, "home"));
  writeFiles(dir, { "home/.gitconfig": "", "evil.sh": `#!/bin/sh\necho "$0 $*" >> '${dir}/ran'\nexit 1\n` });
  const evil = join(dir, "evil.sh");
  chmodSync(evil, 0o755);
  return { dir, repo, evil, ran: () => (existsSync(join(dir, "ran")) ? readFileSync(join(dir, "ran"), "utf8") : "") };
}

test("[SE16] a fetch runs no program that the repository's configuration names", async () => {
  const { repo, evil, ran } = scene();
  const origin = makeRepository();
  runGit(repo, "remote", "add", "origin", origin);
  for (const key of ["remote.origin.uploadpack", "core.sshCommand", "core.gitProxy", "core.askPass"])
    runGit(repo, "config", key, evil);
  runGit(repo, "config", "credential.helper", `!${evil}`);
  const fetched = (remote: string) =>
    git(repo, ["fetch", "--quiet", "--", remote, "+refs/heads/main:refs/remotes/origin/main"], {
      asUser: true,
      allowFailure: true,
      timeoutMs: 20_000,
    });
  expect((await fetched("origin")).code).toBe(0);
  await fetched("git://127.0.0.1:9/x");
  runGit(repo, "config", "protocol.ext.allow", "always");
  expect((await fetched(`ext::${evil} x`)).stderr).toContain("transport 'ext' not allowed");
  runGit(repo, "config", "--unset", "protocol.ext.allow");
  runGit(repo, "config", "protocol.allow", "always");
  expect((await fetched(`ext::${evil} x`)).stderr).toContain("transport 'ext' not allowed");
  runGit(repo, "config", "remote.origin.promisor", "true");
  await expect(git(repo, ["status"])).rejects.toThrow("names a program for fetching (remote.origin.uploadpack)");
  runGit(repo, "config", "--unset", "remote.origin.promisor");
  runGit(repo, "config", "remote.origin.vcs", "evil");
  expect((await fetched("origin")).code).not.toBe(0);
  expect(ran()).toBe("");
});

test("[SE16] neither do commands in a tree: filters, merge drivers, diff programs, also from a file that is included", async () => {
  const { dir, repo, evil, ran } = scene();
  const settings = `[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n\trequired = true\n[merge "evil"]\n\tdriver = ${evil}\n[diff "evil"]\n\ttextconv = ${evil}\n\tcommand = ${evil}\n`;
  writeFileSync(join(dir, "included"), settings);
  appendFileSync(
    join(repo, ".git/config"),
    `[include]\n\tpath = ${join(dir, "included")}\n[core]\n\tfsmonitor = ${evil}\n`,
  );
  writeFiles(repo, { "b.txt": "b\n" });
  await git(repo, ["add", "--all"]);
  await git(repo, ["commit", "--quiet", "--message=b"]);
  await git(repo, ["checkout", "--quiet", "-b", "side", "HEAD~1"]);
  writeFiles(repo, { "a.txt": "side\n" });
  await git(repo, ["commit", "--quiet", "--all", "--message=side"]);
  await git(repo, ["checkout", "--quiet", "main"]);
  writeFiles(repo, { "a.txt": "main\n" });
  await git(repo, ["commit", "--quiet", "--all", "--message=main"]);
  expect((await git(repo, ["merge", "--quiet", "side"], { allowFailure: true })).code).toBe(1);
  expect(readFileSync(join(repo, "a.txt"), "utf8")).toContain("<<<<<<<");
  expect(ran()).toBe("");
});

test("[SE16] what the user configured counts in its place, and a worktree's own configuration is the repository's", async () => {
  const { dir, repo, evil, ran } = scene();
  writeFileSync(join(dir, "home/.gitconfig"), '[filter "up"]\n\tclean = tr a-z A-Z\n[extensions]\n');
  runGit(repo, "config", "filter.up.clean", evil);
  runGit(repo, "config", "extensions.worktreeConfig", "true");
  const tree = join(dir, "tree");
  runGit(repo, "worktree", "add", "--quiet", "--detach", tree);
  runGit(tree, "config", "--worktree", "filter.up.clean", evil);
  for (const place of [repo, tree]) {
    writeFiles(place, { "c.up": "word\n" });
    await git(place, ["add", "c.up"]);
    expect(await gitLine(place, ["cat-file", "-p", ":c.up"])).toBe("WORD");
  }
  expect(ran()).toBe("");
});

test("[SE16] it costs no process where the configuration names no program, and one where it does", async () => {
  const { repo, evil } = scene();
  const count = countGit();
  await git(repo, ["status"]);
  expect(count()).toHaveLength(1);
  runGit(repo, "config", "gpg.program", evil);
  const before = count().length;
  await git(repo, ["status"]);
  await git(repo, ["status"]);
  expect(count()).toHaveLength(before + 3);
});

test("[SE16] every kind of setting that runs a program is overridden, once, and no other", () => {
  const keys = [
    "core.sshcommand core.askpass core.alternaterefscommand core.gitproxy remote.a.b.uploadpack remote.x.receivepack",
    "remote.x.vcs credential.helper credential.https://a=b.helper filter.X.clean filter.X.smudge filter.X.process",
    "filter.X.required diff.external diff.X.command diff.X.textconv merge.X.driver gpg.program gpg.ssh.program",
    "gpg.ssh.defaultkeycommand hook.x.command protocol.allow protocol.file.allow trailer.x.cmd",
  ]
    .join(" ")
    .split(" ");
  const harmless = ["user.name", "remote.x.url", "remote.x.fetch", "core.bare", "branch.main.remote"];
  const listed = [...keys, ...harmless].map((key) => `local\0${key}\nevil\0`).join("");
  const overrides = overridesIn(`${listed}global\0credential.helper\nstore\0global\0user.email\nx\0`);
  const overridden = new Set(overrides.map(([key]) => key));
  expect([...overridden].toSorted()).toEqual([...keys, "protocol.ext.allow"].toSorted());
  expect(overrides.flat()).not.toContain("evil");
  expect(overrides.filter(([key]) => key === "credential.helper").map(([, value]) => value)).toEqual(["", "store"]);
  expect(overridesIn("global\0core.sshcommand\nmine\0")).toEqual([]);
});
