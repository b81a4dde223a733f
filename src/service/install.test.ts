// The files that start the service at login.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/repository.ts";
import { Application } from "../application/application.ts";
import { isNewer } from "../domain/version.ts";
import { installService } from "./install.ts";

function install(platform: NodeJS.Platform, more: Readonly<Record<string, string>> = {}) {
  const dir = tempDir("pawl-install-");
  const home = join(dir, "a 100% <home>");
  const env = { HOME: dir, PAWL_HOME: home, PATH: '/usr/bin:/opt/my "tools"/$bin', API_KEY: "hunter2hunter2", ...more };
  const app = new Application({ cwd: dir, env });
  const { file, commands } = installService(app, { host: "127.0.0.1", port: 7295, platform });
  return { dir, home, file, commands, text: readFileSync(file, "utf8") };
}

test("[SV16] the systemd unit starts it again unless it was stopped, has the PATH of the shell, and no secret", () => {
  const { dir, home, file, text, commands } = install("linux");
  expect(file).toBe(join(dir, ".config", "systemd", "user", "pawl.service"));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const escaped = home.replaceAll("%", "%%");
  expect(text).toContain(`Environment="PAWL_HOME=${escaped}"`);
  expect(text).toContain(String.raw`Environment="PATH=/usr/bin:/opt/my \"tools\"/$$bin"`);
  expect(text).toContain("Restart=on-failure");
  expect(text).toContain('"up" "--host" "127.0.0.1" "--port" "7295"');
  expect(text).not.toContain("hunter2");
  expect(commands).toContain("systemctl --user enable --now pawl");
  expect(() => install("linux", { PATH: "/bin\nExecStart=/evil" })).toThrow("line break");
});

test("[SO67] a unit has the address of a store, and is not written with a password in it", () => {
  expect(install("linux", { PAWL_STORE: "postgres://ada@db/pawl" }).text).toContain(
    "PAWL_STORE=postgres://ada@db/pawl",
  );
  expect(() => install("linux", { PAWL_STORE: "postgres://ada:hunter2@db/pawl" })).toThrow("no place for one");
});

test("[SO121] a unit names the file that has the password of its store", () => {
  const env = { PAWL_STORE: "postgres://ada@db/pawl", PGPASSFILE: "secrets/pgpass" };
  const { dir, text } = install("linux", env);
  expect(text).toContain(`Environment="PGPASSFILE=${join(dir, "secrets", "pgpass")}"`);
  expect(install("linux", { PGPASSFILE: "/secrets/pgpass" }).text).not.toContain("PGPASSFILE");
});

test("[SV16] the launchd file says the same; other systems are refused", () => {
  const { dir, text, file } = install("darwin");
  expect(file).toBe(join(dir, "Library", "LaunchAgents", "dev.pawl.service.plist"));
  expect(text).toContain("a 100% &lt;home&gt;</string>");
  expect(text).toContain("<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>");
  expect(text).not.toContain("hunter2");
  expect(() => install("win32")).toThrow("no service manager");
});

test("[SV15] which of two versions is newer", () => {
  expect(["0.2.0", "0.10.0", "1.0.0", "0.1.1"].map((version) => isNewer(version, "0.1.0"))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(["0.1.0", "0.0.9", "0.1.0-rc.1"].map((version) => isNewer(version, "0.1.0"))).toEqual([false, false, false]);
  expect(isNewer("0.1.0", "0.1.0-rc.1")).toBe(true);
});
