// Sandboxes, tried with real programs: what cannot be done from inside, what can, and what is left.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { inOwnSession } from "../../../test/support/programs.ts";
import { log, makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import {
  failedToWrite,
  inside,
  open,
  problem,
  shell,
  visibleDir,
  withVariables,
} from "../../../test/support/sandboxes.ts";
import { callWith, performWith, printing, stubAgent } from "../../../test/support/stub-agents.ts";
import { transcripts } from "../../../test/support/transcripts.ts";
import { until } from "../../../test/support/until.ts";
import { isAlive } from "../../system/process/identity.ts";
import { findMarked } from "../../system/process/strays.ts";
import { claude } from "../claude/claude.ts";
import { codex } from "../codex/codex.ts";
import { commandExecutor } from "../command/command.ts";
import { copilot } from "../copilot/copilot.ts";
import { attemptMarker } from "../executor.ts";
import { gemini } from "../gemini/gemini.ts";
import { goose } from "../goose/goose.ts";
import { opencode } from "../opencode/opencode.ts";
import { qwen } from "../qwen/qwen.ts";
import { scriptedExecutor } from "../scripted/scripted.ts";

describe.skipIf(problem !== null)("inside", () => {
  describe("[EX77] only where it works can be written", () => {
    test("the workspace, and nothing outside of it: not a home, not the system, not another repository", async () => {
      const [cwd, home, other] = [visibleDir(), visibleDir(), makeRepository({ a: "1" }, { dir: visibleDir() })];
      expect(await inside("echo done > made.txt", { cwd })).toMatchObject({ outcome: "ran" });
      expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("done\n");
      for (const place of [home, dirname(home), join(other, ".git"), join(cwd, "..")]) {
        failedToWrite(await inside(`echo x > '${place}/intruder'`, { cwd }));
        expect(existsSync(join(place, "intruder"))).toBe(false);
      }
    });

    test("by no way around: not by another mount, and with no rights that root has", async () => {
      const [cwd, other] = [visibleDir(), visibleDir()];
      const ways = ["mount -o remount,rw /", "unshare -Urm mount -o remount,rw /", `mount -t tmpfs none '${other}'`];
      for (const way of ways)
        expect(await inside(`${way} && echo x > '${other}/intruder'`, { cwd })).toMatchObject({ outcome: "failed" });
      const { text } = await inside("grep -E 'CapEff|NoNewPrivs' /proc/self/status", { cwd });
      expect(text.replaceAll(/\s+/g, " ")).toBe("CapEff: 0000000000000000 NoNewPrivs: 1 ");
    });

    test("not the settings of the machine, which root writes without any right", async () => {
      const file = "/proc/sys/kernel/core_pattern";
      const text = `value=$(cat ${file}) && echo "$value" > ${file} || echo kept`;
      expect(await inside(text, { cwd: visibleDir() })).toMatchObject({ outcome: "ran", text: "kept\n" });
    });

    test("temporary files are its own, also where the workspace lies among them", async () => {
      const [cwd, hidden] = [tempDir(), tempDir()];
      const own = `/tmp/own-${randomUUID()}`;
      onTestFinished(() => rmSync(own, { force: true }));
      const text = `echo inside > ${own} && echo inside > made.txt && ls /tmp`;
      const end = await inside(text, { cwd });
      expect(end).toMatchObject({ outcome: "ran" });
      expect(end.text).not.toContain(hidden.replace("/tmp/", ""));
      expect([existsSync(own), existsSync(join(cwd, "made.txt"))]).toEqual([false, true]);
    });

    test("nobody who could be asked to do it: no sockets of the system's services", async () => {
      const { text } = await inside("ls -A /run", { cwd: visibleDir() });
      const needed = ["systemd", "resolvconf", "NetworkManager", "current-system", "wrappers"];
      expect(text.split("\n").filter((name) => name !== "" && !needed.includes(name))).toEqual([]);
    });

    test("a commit in a worktree, and neither its repository's settings nor its hooks", async () => {
      const repo = makeRepository({ a: "1" }, { dir: visibleDir() });
      const cwd = join(visibleDir(), "tree");
      runGit(repo, "worktree", "add", "--quiet", cwd, "-b", "work");
      expect(
        await inside("echo 2 > a && git add a && git commit -qm inside && git branch other", { cwd }),
      ).toMatchObject({
        outcome: "ran",
      });
      expect(log(repo, "work")).toEqual(["inside", "first"]);
      failedToWrite(await inside(`echo x > '${repo}/.git/config'`, { cwd }));
      failedToWrite(await inside(`echo x > '${repo}/a'`, { cwd }));
      expect(await inside("git config user.name x", { cwd })).toMatchObject({ outcome: "failed" });
    });

    test("also where the repository lies among temporary files", async () => {
      const repo = makeRepository();
      const cwd = join(tempDir(), "tree");
      runGit(repo, "worktree", "add", "--quiet", cwd, "-b", "work");
      expect(await inside("git commit -q --allow-empty -m inside", { cwd })).toMatchObject({ outcome: "ran" });
      expect(await inside("git log --format=%s", { cwd, access: "read" })).toMatchObject({ text: "inside\nfirst\n" });
      failedToWrite(await inside(`echo x > '${repo}/.git/config'`, { cwd }));
    });

    test("what the prompt asks it to write, and what the configuration opens", async () => {
      const [cwd, agents, shared, opened] = [visibleDir(), visibleDir(), visibleDir(), visibleDir()];
      const outside = [agents, shared];
      const text = `echo a > '${agents}/progress.txt' && echo b > '${shared}/b' && echo c > '${opened}/c'`;
      const sandbox = { network: true, write: [opened] };
      expect(await inside(text, { cwd, outside }, sandbox)).toMatchObject({ outcome: "ran" });
      expect(await inside(text, { cwd, outside })).toMatchObject({ outcome: "failed" });
      expect(await inside(text, { cwd }, sandbox)).toMatchObject({ outcome: "failed" });
      // Never by a variable: repositories have a say in those.
      const env = { PAWL_PROGRESS_FILE: join(agents, "progress.txt"), RALPH_SHARED_DIR: shared };
      failedToWrite(await inside(`echo b > '${shared}/b'`, { cwd, env }));
      failedToWrite(await inside(`echo a > '${agents}/progress.txt'`, { cwd, env }));
      expect(
        await inside(text, { cwd, outside, env: { HOME: opened } }, { network: true, write: ["~/"] }),
      ).toMatchObject({
        outcome: "ran",
      });
    });

    test("a path to open that is not there, or is Pawl's own, is told; nothing is started", async () => {
      const home = visibleDir();
      withVariables({ PAWL_HOME: home });
      const writing = (path: string) => inside("echo x", { cwd: tempDir() }, { network: true, write: [path] });
      expect(await writing("/no/such/place")).toMatchObject({
        outcome: "failed",
        text: "",
        why: "`sh` could not be started: its sandbox is to open /no/such/place for writing, and there is no such path",
      });
      expect(await writing(home)).toMatchObject({ outcome: "failed", why: expect.stringContaining("Pawl's own home") });
    });

    test("[EX97] Pawl's store is neither written nor read, although the worktree lies beside it, or around it", async () => {
      const home = visibleDir();
      withVariables({ PAWL_HOME: home });
      for (const name of ["pawl.db", "pawl.db-wal"]) writeFileSync(join(home, name), "a token");
      const cwd = join(home, "worktrees/run");
      mkdirSync(cwd, { recursive: true });
      expect(await inside("echo x > made.txt", { cwd })).toMatchObject({ outcome: "ran" });
      expect(await inside(`echo x > '${home}/pawl.db'`, { cwd })).toMatchObject({ outcome: "failed" });
      const seen = await inside(`cat '${home}/pawl.db' '${home}/pawl.db-wal'; echo that is all`, { cwd });
      expect(seen).toMatchObject({ outcome: "ran", text: "that is all\n" });
      expect(readFileSync(join(home, "pawl.db"), "utf8")).toBe("a token");
      const around = visibleDir();
      withVariables({ PAWL_HOME: join(around, ".pawl-home") });
      mkdirSync(join(around, ".pawl-home"));
      expect(await inside("echo x > made.txt", { cwd: around })).toMatchObject({ outcome: "ran" });
      failedToWrite(await inside("echo x > .pawl-home/pawl.db", { cwd: around }));
    });

    describe("[EX97] of Pawl's home it sees what it needs, and nothing else", () => {
      /** A home with what other attempts and Pawl itself keep there. */
      function fullHome(): string {
        const home = visibleDir();
        withVariables({ PAWL_HOME: home });
        for (const dir of ["worktrees/run-1", "worktrees/run-2", "logs/run", "shared/run", "shared/other", "bin"]) {
          mkdirSync(join(home, dir), { recursive: true });
          writeFileSync(join(home, dir, "secret.txt"), "secret");
        }
        for (const name of ["pawl.db", "pawl.db-wal", "config.yml"]) writeFileSync(join(home, name), "secret");
        return home;
      }
      const shown = (home: string) => `cd '${home}' && find . -type f | sort; touch x 2> /dev/null || echo kept`;

      test("its tree, and the directories of its prompt, which a judge reads as well", async () => {
        const home = fullHome();
        const [cwd, shared] = [join(home, "worktrees/run-1"), join(home, "shared/run")];
        const seen = "./shared/run/secret.txt\n./worktrees/run-1/secret.txt\nkept\n";
        for (const access of ["write", "read"] as const)
          expect(await inside(shown(home), { cwd, outside: [shared], access })).toMatchObject({
            outcome: "ran",
            text: seen,
          });
        expect(await inside(`echo x > '${shared}/made'`, { cwd, outside: [shared] })).toMatchObject({ outcome: "ran" });
        failedToWrite(await inside(`echo x > '${shared}/made'`, { cwd, outside: [shared], access: "read" }));
      });

      test("nothing where the workspace is elsewhere, also where the home lies among temporary files", async () => {
        expect(await inside(shown(fullHome()), { cwd: visibleDir() })).toMatchObject({ text: "kept\n" });
        const home = tempDir();
        withVariables({ PAWL_HOME: home });
        const cwd = join(home, "worktrees/run");
        mkdirSync(cwd, { recursive: true });
        writeFileSync(join(home, "pawl.db"), "secret");
        expect(await inside(shown(home), { cwd })).toMatchObject({ text: "kept\n" });
      });

      test("a program there, and the repository of its tree", async () => {
        const home = fullHome();
        const repo = makeRepository({ a: "1" }, { dir: join(home, "demos/project") });
        const cwd = join(home, "worktrees/run-3");
        runGit(repo, "worktree", "add", "--quiet", cwd, "-b", "pawl/work");
        const program = join(home, "bin/agent.sh");
        writeFileSync(
          program,
          `git log --format=%s && git commit -qm inside --allow-empty && cat '${home}/bin/secret.txt'`,
        );
        const options = { name: "mine", env: [], sandbox: open, wallMs: 60_000, quietMs: null, graceMs: 500 };
        const executor = commandExecutor({ ...options, command: ["sh", program] });
        expect(await performWith(executor, { cwd })).toMatchObject({
          outcome: "failed",
          text: "first\n",
          why: expect.stringContaining("No such file"),
        });
        expect(log(repo, "pawl/work")).toEqual(["inside", "first"]);
        expect(await performWith(executor, { cwd, access: "read" })).toMatchObject({ text: "inside\nfirst\n" });
      });

      test("of another home and a store elsewhere, which the application names", async () => {
        const [home, elsewhere] = [visibleDir(), visibleDir()];
        withVariables({ PAWL_HOME: tempDir() });
        const store = join(elsewhere, "mine.db");
        for (const file of [store, `${store}-wal`, join(home, "pawl.db")]) writeFileSync(file, "secret");
        const sandbox = { ...open, pawl: { home, store } };
        const text = `cat '${home}'/* '${elsewhere}'/* 2> /dev/null; echo that is all`;
        expect(await inside(text, {}, sandbox)).toMatchObject({
          outcome: "ran",
          text: "that is all\n",
        });
      });
    });
  });

  describe("[EX78] whoever may only read writes nothing at all", () => {
    test("a program, when the call or the configuration says so", async () => {
      const [cwd, shared] = [makeRepository({ a: "1" }, { dir: visibleDir() }), visibleDir()];
      const read = { cwd, outside: [shared], access: "read" } as const;
      expect(await inside("cat a; git status --short", read)).toMatchObject({ outcome: "ran", text: "1" });
      failedToWrite(await inside("echo 2 > a", read));
      failedToWrite(await performWith(shell("echo 2 > a", open, "read"), { cwd }));
      failedToWrite(await inside(`echo 2 > '${shared}/a'`, read));
      expect(await inside("git commit -q --allow-empty -m x", read)).toMatchObject({ outcome: "failed" });
    });

    test("also where the configuration opens the workspace, or a part of it, for writing", async () => {
      const cwd = visibleDir();
      mkdirSync(join(cwd, "sub"));
      for (const path of [dirname(cwd), cwd, join(cwd, "sub")])
        failedToWrite(await inside("echo x > sub/a", { cwd, access: "read" }, { network: true, write: [path] }));
    });

    test("codex, although it has no sandbox of its own inside", async () => {
      const [HOME, home, cwd, shared] = [visibleDir(), join(visibleDir(), "codex"), visibleDir(), visibleDir()];
      const text = `for place in '${cwd}' '${shared}' "$HOME"; do touch "$place/made" 2> /dev/null && exit 1; done
        ${printing(transcripts["codex"] ?? [])}`;
      const executor = stubAgent(codex, text, { sandbox: open, home });
      const call = { cwd, env: { HOME }, outside: [shared] };
      expect(await performWith(executor, { ...call, access: "read" })).toMatchObject({ outcome: "ran" });
      expect(await performWith(executor, call)).toMatchObject({
        outcome: "failed",
        why: "exit code 1 (`pawl logs` shows all that it printed)",
      });
    });

    test("an agent that has no way of its own to be kept from it", async () => {
      const cwd = visibleDir();
      const text = `touch '${cwd}/made' 2> /dev/null || touch /tmp/not-made\n${printing(transcripts["goose"] ?? [])}`;
      const end = await performWith(stubAgent(goose, text, { sandbox: open }), { cwd, access: "read" });
      expect([end.outcome, existsSync(join(cwd, "made"))]).toEqual(["ran", false]);
    });
  });

  describe("[EX79] all that it started dies with it", () => {
    test("it sees no processes but its own", async () => {
      const { text } = await inside("ls /proc | grep -c '^[0-9]'; echo $$", { cwd: tempDir() });
      expect(Number(text.split("\n")[0])).toBeLessThan(10);
    });

    test("after a normal end, in a session of its own, and without its marker", async () => {
      const cwd = tempDir();
      const attempt = `at-${randomUUID()}`;
      const pids = join(cwd, "pids");
      const detached = inOwnSession(pids, "exec sleep 600", `env -u ${attemptMarker}`);
      const end = await inside(`${detached} echo fine`, { cwd, attempt });
      expect(end).toMatchObject({ outcome: "ran", text: "fine\n" });
      expect(await findMarked(attemptMarker, attempt)).toEqual([]);
      expect(whoeverIsIn(cwd)).toEqual([]);
    });

    test.each(["stopped", "at its time limit"])("%s, whatever it ignores", async (how) => {
      const cwd = tempDir();
      const attempt = `at-${randomUUID()}`;
      const ready = join(cwd, "ready");
      const text = `trap '' TERM INT HUP; ${inOwnSession(join(cwd, "pid"), 'trap "" TERM; exec sleep 600')} touch '${ready}'; while :; do sleep 0.05; done`;
      const execution = shell(text).start(callWith({ cwd, attempt, wallMs: how === "stopped" ? 60_000 : 6_000 }));
      await until(() => existsSync(ready));
      if (how === "stopped") execution.stop("enough");
      expect((await execution.ended).outcome).toBe(how === "stopped" ? "cancelled" : "timed_out");
      expect(await findMarked(attemptMarker, attempt)).toEqual([]);
      expect(whoeverIsIn(cwd)).toEqual([]);
    });

    test("when we die ourselves, without anybody who sweeps", async () => {
      const cwd = tempDir();
      const module = new URL("../command/command.ts", import.meta.url).href;
      const text = `${inOwnSession(join(cwd, "pid"), "exec sleep 600", `env -u ${attemptMarker}`)} touch ready; sleep 600`;
      const options = {
        name: "mine",
        command: ["sh", "-c", text],
        env: [],
        sandbox: open,
        wallMs: 60_000,
        quietMs: null,
      };
      const call = { prompt: "", cwd, env: {}, attempt: `at-${randomUUID()}`, wallMs: null, quietMs: null };
      const code = `import { commandExecutor } from ${JSON.stringify(module)};
        const given = ${JSON.stringify({ ...call, ...options, graceMs: 500 })};
        commandExecutor(given).start({ ...given, env: {}, onOutput: () => undefined });`;
      const driver = spawn(process.execPath, ["--input-type=module", "--eval", code], { stdio: "inherit" });
      await until(() => existsSync(join(cwd, "ready")));
      expect(whoeverIsIn(cwd)).not.toEqual([]);
      driver.kill("SIGKILL");
      await until(() => whoeverIsIn(cwd).length === 0);
    });

    test("a death from outside is a failure: of the sandbox, and of the program in it", async () => {
      const killed = await inside("kill -9 $$", { cwd: tempDir() });
      expect(killed).toMatchObject({ outcome: "failed", kind: "killed", why: expect.stringContaining("SIGKILL") });
      expect(await inside("exit 3", { cwd: tempDir() })).toMatchObject({ outcome: "failed", why: "exit code 3" });
      const attempt = `at-${randomUUID()}`;
      const execution = shell("sleep 600").start(callWith({ attempt }));
      const [first] = await until(async () => await found(attempt));
      const leader = { pid: first?.pid ?? 0, startedAt: first?.startedAt ?? "" };
      process.kill(leader.pid, "SIGKILL");
      expect(await execution.ended).toMatchObject({ outcome: "failed", kind: "killed" });
      expect([isAlive(leader), await findMarked(attemptMarker, attempt)]).toEqual([false, []]);
    });
  });

  describe("[EX80] the network is as it is configured", () => {
    const asking = (port: number) =>
      `'${process.execPath}' -e 'fetch("http://127.0.0.1:${port}").then(() => console.log("reached"), () => console.log("cut off"))'`;

    test("open, or none at all: not even this machine", async () => {
      const server = createServer((_request, answer) => answer.end("here"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      expect((await inside(asking(port), {}, open)).text).toBe("reached\n");
      expect((await inside(asking(port), {}, { network: false, write: [] })).text).toBe("cut off\n");
    });

    test("without one an agent is not offered our tools, and a note says so", async () => {
      const sandbox = { network: false, write: [] };
      const text = `env > env.txt; echo "$@" > args.txt\n${printing(transcripts["claude"] ?? [])}`;
      const cwd = tempDir();
      const mcp = { url: "http://127.0.0.1:1/mcp", token: "t" };
      const end = await performWith(stubAgent(claude, text, { sandbox }), { cwd, mcp });
      expect(end.notes).toEqual(["its sandbox has no network, so Pawl's tools were not offered"]);
      expect(readFileSync(join(cwd, "args.txt"), "utf8")).not.toContain("mcp");
    });
  });

  describe("[EX81] an agent in a sandbox", () => {
    test("has its files of this call, its own directory, and its login; what it obeys later stays as it is", async () => {
      const [HOME, cwd] = [visibleDir(), tempDir()];
      mkdirSync(join(HOME, ".claude"));
      writeFileSync(join(HOME, ".claude/settings.json"), "{}");
      const text = `
        while [ "$1" != --append-system-prompt-file ]; do shift; done
        cat "$2" > system.txt
        echo s > "$HOME/.claude/session" && echo made > own.txt
        echo '{"hooks":1}' 2> /dev/null > "$HOME/.claude/settings.json" || echo kept >> own.txt
        echo x 2> /dev/null > "$HOME/.bashrc" || echo kept >> own.txt
        ${printing(transcripts["claude"] ?? [])}`;
      const end = await performWith(stubAgent(claude, text, { sandbox: open }), {
        cwd,
        env: { HOME },
        system: "Be kind.",
      });
      expect(end).toMatchObject({ outcome: "ran", notes: [] });
      expect(readFileSync(join(cwd, "system.txt"), "utf8")).toBe("Be kind.");
      expect(readFileSync(join(cwd, "own.txt"), "utf8")).toBe("made\nkept\nkept\n");
      expect(existsSync(join(HOME, ".claude/session"))).toBe(true);
    });

    test("finds a directory of its own where it had none", async () => {
      const HOME = visibleDir();
      const text = `echo s > "$HOME/.claude/session" || exit 1\n${printing(transcripts["claude"] ?? [])}`;
      expect(await performWith(stubAgent(claude, text, { sandbox: open }), { env: { HOME } })).toMatchObject({
        outcome: "ran",
      });
    });

    test("codex has no second sandbox inside, its home of ours, and a login that it can renew", async () => {
      const [HOME, home, cwd] = [visibleDir(), join(visibleDir(), "codex"), tempDir()];
      mkdirSync(join(HOME, ".codex"));
      writeFileSync(join(HOME, ".codex/auth.json"), "old");
      const text = `echo "$@" > args.txt; echo new > "$CODEX_HOME/auth.json" && echo s > "$CODEX_HOME/state" || exit 1
        echo x 2> /dev/null > "$HOME/.codex/config.toml" && exit 1
        ${printing(transcripts["codex"] ?? [])}`;
      const executor = stubAgent(codex, text, { sandbox: open, home });
      expect(await performWith(executor, { cwd, env: { HOME } })).toMatchObject({ outcome: "ran" });
      expect(readFileSync(join(HOME, ".codex/auth.json"), "utf8")).toBe("new\n");
      expect(readFileSync(join(cwd, "args.txt"), "utf8")).toContain("--sandbox danger-full-access");
    });

    test.each([
      ["claude", claude, ".claude", "local/claude", []],
      ["codex in the user's home", codex, ".codex", "config.toml", ["CODEX_HOME"]],
      ["codex in the user's home", codex, ".codex", "rules/default.rules", ["CODEX_HOME"]],
      ["opencode", opencode, ".cache/opencode", "bin/rg", []],
      ["opencode", opencode, ".cache/opencode", "node_modules/a/index.js", []],
      ["opencode", opencode, ".local/share/opencode", "bin/gopls", []],
    ] as const)("%s does not change what it runs or obeys later", async (_, profile, dir, file, env) => {
      const HOME = visibleDir();
      withVariables({ CODEX_HOME: join(HOME, ".codex") });
      mkdirSync(dirname(join(HOME, dir, file)), { recursive: true });
      writeFileSync(join(HOME, dir, file), "mine");
      const [top] = file.split("/");
      const text = `cd "$HOME/${dir}" && touch state || exit 1
        { echo x > ${file}; rm -rf ${top}; mv ${top} old; } 2> /dev/null
        ${printing(transcripts[profile.kind] ?? [])}`;
      const end = await performWith(stubAgent(profile, text, { sandbox: open, env }), { env: { HOME } });
      expect([end.outcome, readFileSync(join(HOME, dir, file), "utf8")]).toEqual(["ran", "mine"]);
    });

    test("is not started where that is a link, which could be replaced; it says which", async () => {
      const [HOME, dotfiles] = [visibleDir(), visibleDir()];
      mkdirSync(join(HOME, ".claude"));
      writeFileSync(join(dotfiles, "settings.json"), "{}");
      symlinkSync(join(dotfiles, "settings.json"), join(HOME, ".claude/settings.json"));
      const text = `rm "$HOME/.claude/settings.json"; echo x > "$HOME/.claude/settings.json"`;
      expect(await performWith(stubAgent(claude, text, { sandbox: open }), { env: { HOME } })).toMatchObject({
        outcome: "failed",
        why: `Claude Code could not be started: its sandbox cannot keep ${HOME}/.claude/settings.json as it is, which is a link (put what it leads to in its place)`,
      });
      expect(readlinkSync(join(HOME, ".claude/settings.json"))).toBe(join(dotfiles, "settings.json"));
      // Where the directory itself is one, nobody inside can replace it.
      rmSync(join(HOME, ".claude"), { recursive: true });
      symlinkSync(dotfiles, join(HOME, ".claude"));
      const done = printing(transcripts["claude"] ?? []);
      const linked = `echo x > "$HOME/.claude/settings.json"; echo x > "$HOME/.claude/state" || exit 1\n${done}`;
      expect(await performWith(stubAgent(claude, linked, { sandbox: open }), { env: { HOME } })).toMatchObject({
        outcome: "ran",
      });
      expect(readFileSync(join(dotfiles, "settings.json"), "utf8")).toBe("{}");
    });

    test.each([
      [qwen, ".qwen/oauth_creds.json", "$QWEN_HOME/oauth_creds.json", "$QWEN_HOME/sessions"],
      [copilot, ".copilot/config.json", "$COPILOT_HOME/config.json", "$COPILOT_HOME/sessions"],
      [
        gemini,
        ".gemini/oauth_creds.json",
        "$GEMINI_CLI_HOME/.gemini/oauth_creds.json",
        "$GEMINI_CLI_HOME/.gemini/tmp/s",
      ],
    ] as const)(
      "$kind renews its login and keeps its sessions, isolated, too",
      async (profile, file, seen, sessions) => {
        const [HOME, pawl] = [visibleDir(), visibleDir()];
        withVariables({ PAWL_HOME: pawl });
        mkdirSync(dirname(join(HOME, file)));
        writeFileSync(join(HOME, file), "old");
        const text = `echo new > "${seen}" && mkdir -p "${sessions}" || exit 1\n${printing(transcripts[profile.kind] ?? [])}`;
        const home = join(pawl, `${profile.kind}-isolated`);
        const executor = stubAgent(profile, text, { sandbox: open, isolated: true, home });
        expect(await performWith(executor, { env: { HOME } })).toMatchObject({ outcome: "ran" });
        expect(readFileSync(join(HOME, file), "utf8")).toBe("new\n");
      },
    );

    test("is the same environment as outside: an allow-list and the marker", async () => {
      withVariables({ MY_SECRET: "hunter2" });
      const { text } = await inside("env", { attempt: "at-77" });
      expect(text).toContain(`${attemptMarker}=at-77\n`);
      expect(text).not.toContain("hunter2");
    });

    test("a scripted one, too", async () => {
      const [cwd, other] = [visibleDir(), visibleDir()];
      const script = join(visibleDir(), "script.yml");
      writeFileSync(script, `steps: { work: [{ write: { made: x }, run: [echo x > '${other}/intruder'] }] }`);
      expect(await performWith(scriptedExecutor(script, open), { cwd })).toMatchObject({ outcome: "failed" });
      expect([existsSync(join(cwd, "made")), existsSync(join(other, "intruder"))]).toEqual([true, false]);
    });
  });
});

describe("[EX82] without its sandbox nothing is started", () => {
  /** A PATH with these programs alone. */
  function pathWith(programs: Readonly<Record<string, string>>): void {
    const dir = tempDir();
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(dir, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(dir, name), 0o755);
    }
    withVariables({ PATH: dir });
  }

  test("where bubblewrap is not installed", async () => {
    const cwd = tempDir();
    pathWith({ mine: "touch made", claude: "echo 99.1.2" });
    const options = { name: "mine", env: [], sandbox: open, wallMs: 60_000, quietMs: null, graceMs: 500 };
    const executor = commandExecutor({ ...options, command: ["mine"] });
    expect(await executor.missing()).toEqual({
      what: "the sandbox of mine needs bubblewrap (`bwrap`), which is not installed",
      hint: "install bubblewrap (Linux only), or say `sandbox: none` in executors.mine of your own configuration",
    });
    expect(await performWith(executor, { cwd })).toMatchObject({
      outcome: "failed",
      why: expect.stringMatching(/could not be started: its sandbox needs bubblewrap/),
    });
    expect(existsSync(join(cwd, "made"))).toBe(false);
    const agent = stubAgent(claude, "touch made", { program: "claude", sandbox: open });
    expect(await agent.missing()).toMatchObject({ what: expect.stringContaining("needs bubblewrap") });
    expect(await performWith(agent, { cwd })).toMatchObject({ outcome: "failed" });
  });

  test("where it is there and does not work: it says why", async () => {
    const cwd = tempDir();
    pathWith({ mine: "touch made", bwrap: "echo 'bwrap: No permissions to create new namespace' >&2; exit 1" });
    const options = { name: "mine", env: [], sandbox: open, wallMs: 60_000, quietMs: null, graceMs: 500 };
    const executor = commandExecutor({ ...options, command: ["mine"] });
    expect(await executor.missing()).toMatchObject({
      what: "the sandbox of mine does not work here: bwrap: No permissions to create new namespace",
      hint: expect.stringContaining("`sandbox: none`"),
    });
    expect(await performWith(executor, { cwd })).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining("No permissions to create new namespace"),
    });
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });
});

test.skipIf(problem === null)(`sandboxes were not tried: ${problem?.what}`, () => {
  expect(problem).not.toBeNull();
});

async function found(attempt: string) {
  const marked = await findMarked(attemptMarker, attempt);
  return marked.length > 0 && marked.toSorted((a, b) => a.pid - b.pid);
}

/** Whoever works in that directory, marked or not. */
function whoeverIsIn(cwd: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === cwd;
    } catch {
      return false;
    }
  });
}
