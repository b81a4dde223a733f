// The files in deploy/ and the guide that uses them, checked for form: no container engine runs here.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loaders } from "../../src/cli/loaders.ts";
import { Console } from "../../src/cli/output/console.ts";
import { restartCode } from "../../src/service/install.ts";
import { hasPassword } from "../../src/system/store-address.ts";
import { tempDir } from "../support/repository.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

interface Container {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly hostname?: string;
  readonly pid?: string;
  readonly user?: string;
  readonly init?: boolean;
  readonly restart?: string;
  readonly cap_drop?: readonly string[];
  readonly stop_signal?: string;
  readonly stop_grace_period?: string;
  readonly ports?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<"postgres" | "processes" | "service" | "worker-1" | "worker-2", Container>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const composeText = read("deploy/compose.yml");
const compose = parse(composeText, { merge: true }) as Compose;
const { postgres, processes, service, "worker-1": first, "worker-2": second } = compose.services;
const ofPawl = [service, first, second];
const dockerfile = read("deploy/Dockerfile");
const guide = read("docs/guides/deploy.md");
const unitFiles = ["pawl.service", "pawl-worker@.service"] as const;
const unitText = (name: string) => read(`deploy/systemd/${name}`);

/** The settings of a unit, in order: a setting may be there several times. */
function settingsOf(name: string): readonly (readonly [string, string])[] {
  const lines = unitText(name).split("\n");
  return lines.flatMap((line) => {
    const [, key, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
}

const setting = (name: string, key: string) =>
  settingsOf(name).flatMap(([found, value]) => (found === key ? value : []));

const isOfPawl = (name: string) => Object.hasOwn(compose.services, name) && name !== "postgres";

/** The words that come after `pawl` in a line of a shell; null: the line calls no command of it. */
function pawlWords(line: string): readonly string[] | null {
  const words = [...line.matchAll(/(?:^|\s)(?:"([^"]*)"|'([^']*)'|(#.*$|[^\s"']+))/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  // In a container it comes after the name of the container; elsewhere `pawl` is also a user and a database.
  const at = words.findIndex((word, index) => word === "pawl" && (index === 0 || isOfPawl(words[index - 1] ?? "")));
  if (at === -1) return null;
  const end = words.findIndex((word, index) => index > at && /^(?:#|[|>&;<])/.test(word));
  return words.slice(at + 1, end === -1 ? undefined : end);
}

/** Throws where the command line would refuse the words. Nothing is performed. */
async function parsePawl(words: readonly string[]): Promise<string> {
  const [name = ""] = words;
  const load = loaders.get(name);
  if (load === undefined) throw new Error(`there is no command "${name}"`);
  const program = new Command("pawl").exitOverride().configureOutput({ writeErr: () => undefined });
  (await load()).define(program, new Console(true));
  let called: string | null = null;
  const disarm = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    // A command with others below it may act, too.
    command.action(() => void (called = command.name()));
    for (const nested of command.commands) disarm(nested);
  };
  for (const command of program.commands) disarm(command);
  await program.parseAsync([...words], { from: "user" });
  if (called === null) throw new Error(`pawl ${words.join(" ")} calls nothing`);
  return called;
}

describe("commands", () => {
  test("[DL1] the check of commands refuses what the command line refuses", async () => {
    expect(await parsePawl(["worker", "--slots", "2"])).toBe("worker");
    await expect(parsePawl(["worker", "--slot", "2"])).rejects.toThrow("unknown option");
    await expect(parsePawl(["worker", "--slots", "none"])).rejects.toThrow("not a number");
    await expect(parsePawl(["up", "now"])).rejects.toThrow("too many arguments");
    await expect(parsePawl(["wroker"])).rejects.toThrow("no command");
    expect(pawlWords('docker compose exec service pawl run b "c d" --detach # e')).toEqual([
      "run",
      "b",
      "c d",
      "--detach",
    ]);
    expect(pawlWords("sudo -u pawl -i")).toBeNull();
  });

  test("[DL1] the compose file has PostgreSQL, the service and two workers, which it starts by real commands", async () => {
    const commands = ofPawl.map(({ command = [] }) => {
      expect(command[0]).toBe("pawl");
      return command.slice(1);
    });
    expect(await Promise.all(commands.map(parsePawl))).toEqual(["up", "worker", "worker"]);
    expect(commands[0]).toEqual(expect.arrayContaining(["--host", "0.0.0.0"]));
    expect(service.ports).toEqual(["127.0.0.1:7295:7295"]);
    expect(postgres.image).toMatch(/^postgres:1[78]$/);
    expect(postgres.healthcheck?.test).toContain("pg_isready");
    expect(service.healthcheck?.test.join(" ")).toContain(":7295/api/v1/health");
    for (const { depends_on: needs } of ofPawl) expect(needs?.["postgres"]?.condition).toBe("service_healthy");
    const named = [postgres, ...ofPawl].flatMap(({ volumes = [] }) => volumes.map((each) => each.split(":")[0] ?? ""));
    expect(new Set(named.filter((name) => /^[a-z]+$/.test(name)))).toEqual(new Set(Object.keys(compose.volumes)));
  });

  test("[DL1] the image and the units start real commands", async () => {
    const [, words = ""] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    expect(await parsePawl((JSON.parse(words) as readonly string[]).slice(1))).toBe("up");
    for (const [name, command] of [
      ["pawl.service", "up"],
      ["pawl-worker@.service", "worker"],
    ] as const) {
      const [start = "", ...more] = setting(name, "ExecStart");
      expect(more).toEqual([]);
      const [program = "", ...rest] = start.split(" ");
      expect(program).toBe("/usr/local/bin/pawl");
      expect(await parsePawl(rest)).toBe(command);
    }
  });

  test("[DL1] every command of Pawl in the guide is accepted, and every file that it names is there", async () => {
    const lines = [...guide.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = ""]) => block.split("\n"));
    const inline = [...guide.matchAll(/`(pawl [^`\n]+)`/g)].map(([, line = ""]) => line);
    const calls = [...lines, ...inline].flatMap((line) => {
      const words = pawlWords(line);
      return words === null ? [] : [words];
    });
    const called = await Promise.all(calls.map(async (words) => await parsePawl(words)));
    for (const name of ["create", "run", "runs", "open", "watch", "clean", "gates"]) expect(called).toContain(name);
    for (const unit of unitFiles) expect(unitText(unit)).not.toBe("");
    expect(guide).toContain("deploy/systemd/pawl.env");
    const containers = guide.matchAll(/docker compose (?:exec|run|stop|start)((?: [^\s|<>]+)+)/g);
    for (const [, words = ""] of containers) {
      const names = words.split(" ").filter((word) => Object.hasOwn(compose.services, word));
      expect({ words, names: names.length > 0 || words.includes("--timeout") }).toEqual({ words, names: true });
    }
  });
});

describe("secrets", () => {
  test("[DL2] no password is in an argument or a variable; it is in files that only containers of their use see", () => {
    const texts = [composeText, dockerfile, ...unitFiles.map(unitText), unitText("pawl.env")];
    for (const text of texts) {
      expect(text).not.toMatch(/PGPASSWORD|POSTGRES_PASSWORD\b(?!_FILE)/);
      for (const [address] of text.matchAll(/postgres(?:ql)?:\/\/\S+/g)) expect(hasPassword(address)).toBe(false);
    }
    const secret = [postgres, processes, ...ofPawl]
      .flatMap(({ environment = {} }) => Object.entries(environment))
      .filter(([name]) => /PASS|SECRET|KEY|TOKEN/.test(name));
    expect(secret.filter(([, value]) => !value.startsWith("/run/secrets/"))).toEqual([]);
    expect(postgres.environment?.["POSTGRES_PASSWORD_FILE"]).toBe("/run/secrets/postgres-password");
    expect(postgres.secrets).toEqual(["postgres-password"]);
    for (const { environment, secrets } of ofPawl) {
      expect(environment).toMatchObject({ PAWL_STORE: expect.any(String), PGPASSFILE: "/run/secrets/pgpass" });
      expect(secrets).toEqual(["pgpass"]);
    }
    expect(Object.values(compose.secrets).map(({ file }) => file.split("/")[0])).toEqual(["secrets", "secrets"]);
    expect(unitText("pawl.env")).toMatch(/^PGPASSFILE=\/var\/lib\/pawl\/home\//m);
  });

  test("[DL2] the files of secrets get into no commit and into no image", () => {
    for (const file of ["secrets/pgpass", "secrets/postgres-password", "agents.env"])
      expect(spawnSync("git", ["check-ignore", "--quiet", `deploy/${file}`], { cwd: root }).status).toBe(0);
    const ignored = read("deploy/Dockerfile.dockerignore").split("\n");
    for (const file of ["deploy/secrets", "deploy/agents.env", ".git"]) expect(ignored).toContain(file);
  });
});

describe("processes", () => {
  test("[DL3] nothing of Pawl runs as root, and the image has what Pawl needs in the versions that it names", () => {
    const stage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
    expect([...stage.matchAll(/^USER (\S+)$/gm)].map(([, user]) => user)).toEqual(["node"]);
    expect(stage.indexOf("\nUSER ")).toBeGreaterThan(stage.lastIndexOf("\nRUN "));
    for (const container of [processes, ...ofPawl]) {
      expect(container.user).toBeUndefined();
      expect(container.cap_drop).toEqual(["ALL"]);
    }
    for (const name of unitFiles) expect(setting(name, "User")).toEqual(["pawl"]);
    const { engines, peerDependencies: peers } = JSON.parse(read("package.json")) as {
      readonly engines: { readonly node: string };
      readonly peerDependencies: Readonly<Record<string, string>>;
    };
    expect(engines.node).toBe(">=24.15");
    expect(stage).toMatch(/^\nFROM node:24-/);
    // The tag may lead to an older one that was fetched before.
    expect(stage).toContain("pawl --help");
    expect(stage).toMatch(/ git /);
    expect(peers).toMatchObject({ pg: "^8.16.0", "pg-boss": ">=12.35.0 <12.36.0" });
    for (const text of [stage, guide]) expect(text).toContain("pg@8 pg-boss@12.35");
  });

  test("[DL4] the containers of Pawl share the home, the host name and the process table", () => {
    expect(new Set(ofPawl.map(({ hostname }) => hostname))).toEqual(new Set(["pawl"]));
    expect(new Set(ofPawl.map(({ pid }) => pid))).toEqual(new Set(["service:processes"]));
    expect(processes).toMatchObject({ init: true, command: ["sleep", "infinity"] });
    const [, home = ""] = /^ENV PAWL_HOME=(.*)$/m.exec(dockerfile) ?? [];
    for (const { volumes, depends_on: needs, environment } of ofPawl) {
      expect(volumes).toContain(`home:${home}`);
      expect(Object.keys(needs ?? {})).toContain("processes");
      expect(environment?.["PAWL_HOME"]).toBeUndefined();
    }
    const files = unitFiles.map((name) => setting(name, "EnvironmentFile"));
    expect(files[0]).toEqual(files[1]);
    for (const name of unitFiles)
      for (const hides of ["ProtectProc", "PrivatePIDs", "ProtectKernelTunables"])
        expect(setting(name, hides)).toEqual([]);
  });

  test("[DL5] containers and units stop what they run by the signals that Pawl knows, and wait long enough", () => {
    expect(service).toMatchObject({ stop_signal: "SIGTERM", stop_grace_period: "60s" });
    for (const worker of [first, second])
      expect(worker).toMatchObject({ stop_signal: "SIGUSR2", stop_grace_period: "65m" });
    for (const name of unitFiles) {
      expect(setting(name, "KillMode")).toEqual(["mixed"]);
      expect(setting(name, "KillSignal")).toEqual(["SIGTERM"]);
      expect(setting(name, "TimeoutStopSec")).toEqual(["60"]);
      expect(setting(name, "PrivateTmp")).toEqual(["yes"]);
    }
  });

  test("[DL6] what failed is started again; what was stopped or needs a person is not", () => {
    for (const container of [postgres, processes, ...ofPawl]) expect(container.restart).toBe("unless-stopped");
    for (const name of unitFiles) {
      expect(setting(name, "Restart")).toEqual(["on-failure"]);
      // Away for hours is not failed for good.
      expect(setting(name, "StartLimitIntervalSec")).toEqual(["0"]);
    }
    expect(setting("pawl.service", "RestartForceExitStatus")).toEqual([String(restartCode)]);
    expect(setting("pawl.service", "RestartPreventExitStatus")).toEqual(["2 6"]);
    expect(setting("pawl-worker@.service", "RestartPreventExitStatus")).toEqual(["2"]);
    // A restart request is for a supervisor: it must not start a process of its own.
    expect(service.environment?.["PAWL_SUPERVISOR"]).toBe("docker");
    expect(setting("pawl.service", "Environment")).toEqual(["PAWL_SUPERVISOR=systemd"]);
  });

  test("[DL7] systemd accepts the units", (context) => {
    if (spawnSync("systemd-analyze", ["--version"]).error !== undefined) context.skip("there is no systemd-analyze");
    const dir = tempDir();
    const files = unitFiles.map((name) => {
      const file = join(dir, name.replace("@.", "@1."));
      // A program that exists, and a user that does.
      const here = unitText(name).replace("/usr/local/bin/pawl", process.execPath).replaceAll("=pawl\n", "=root\n");
      writeFileSync(file, here);
      if (name.includes("@")) writeFileSync(join(dir, name), here);
      return file;
    });
    const verify = (...units: readonly string[]) =>
      spawnSync("systemd-analyze", ["verify", "--man=no", ...units], { encoding: "utf8" });
    // Units of the machine that are loaded with them may be wrong, too.
    const said = (stderr: string) => stderr.split("\n").filter((line) => line.includes("pawl"));
    const { status, stderr } = verify(...files);
    expect({ status, said: said(stderr) }).toEqual({ status: 0, said: [] });
    const wrong = join(dir, "pawl-wrong.service");
    writeFileSync(wrong, unitText("pawl.service").replace("KillMode=mixed", "KillMode=gently"));
    expect(said(verify(wrong).stderr).join("\n")).toContain("gently");
  });
});

test("[DL1] the package has the files that its guide names", () => {
  const { files } = JSON.parse(read("package.json")) as { readonly files: readonly string[] };
  expect(files).toContain("deploy");
  const tracked = execFileSync("git", ["ls-files", "deploy"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  expect(tracked).toEqual(expect.arrayContaining(["deploy/compose.yml", "deploy/Dockerfile"]));
});
