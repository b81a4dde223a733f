// Has the system start the service at login: a systemd user unit on Linux, a launchd file on macOS. Writes one file, and says which
// command makes it count; it starts nothing.

import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Application } from "../application/application.ts";
import type { ServiceInstalled } from "../contracts/service-documents.ts";
import { AppError } from "../domain/error.ts";
import { replaceFile } from "../system/files/whole-file.ts";
import { packageFile } from "../system/package-root.ts";
import { hasPassword, isPostgres } from "../system/store-address.ts";
import { nodeOptions, serviceLog } from "./background.ts";

export interface InstallOptions {
  readonly host: string;
  readonly port: number;
  readonly platform?: NodeJS.Platform;
}

/** A service that ends with this code wants to be started again. `pawl down` ends it with 0, and it stays down. */
export const restartCode = 75;

const label = "dev.pawl.service";

export function installService(app: Application, options: InstallOptions): ServiceInstalled {
  const { platform = process.platform } = options;
  const home = app.env["HOME"] ?? homedir();
  if (platform === "darwin") {
    const file = join(home, "Library", "LaunchAgents", `${label}.plist`);
    return written(file, launchdFile(app, options), [`launchctl bootstrap gui/$(id -u) ${file}`]);
  }
  if (platform !== "linux")
    throw new AppError("USAGE", `Pawl knows no service manager of ${platform}`, {
      hint: "`pawl up --background` starts it by hand",
    });
  const config = app.env["XDG_CONFIG_HOME"];
  const file = join(
    config !== undefined && config !== "" ? config : join(home, ".config"),
    "systemd",
    "user",
    "pawl.service",
  );
  return written(file, systemdUnit(app, options), [
    "systemctl --user daemon-reload",
    "systemctl --user enable --now pawl",
    "loginctl enable-linger",
  ]);
}

function written(file: string, text: string, commands: readonly string[]): ServiceInstalled {
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, (draft) => writeFileSync(draft, text, { flag: "wx", mode: 0o600 }));
  return { file, commands: [...commands] };
}

function serviceWords({ host, port }: InstallOptions): readonly string[] {
  return [process.execPath, ...nodeOptions, packageFile("bin", "pawl"), "up", "--host", host, "--port", String(port)];
}

function systemdUnit(app: Application, options: InstallOptions): string {
  const words = serviceWords(options);
  const variables = Object.entries(variablesOf(app, "systemd"));
  return `${[
    "# Written by `pawl up --install`, which replaces it.",
    "[Unit]",
    "Description=Pawl: drives runs of coding agents",
    "",
    "[Service]",
    "Type=exec",
    `ExecStart=${words.map(unitWord).join(" ")}`,
    `WorkingDirectory=${unitText(app.home.dir)}`,
    ...variables.map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`),
    "# 0: `pawl down`. Anything else: it was killed, or makes room for a newer version.",
    "Restart=on-failure",
    "RestartSec=2",
    "# The service stops its agents itself, in order; what is left after that is killed.",
    "KillMode=mixed",
    "TimeoutStopSec=60",
    "",
    "[Install]",
    "WantedBy=default.target",
  ].join("\n")}\n`;
}

function launchdFile(app: Application, options: InstallOptions): string {
  const words = serviceWords(options);
  const variables = Object.entries(variablesOf(app, "launchd"));
  const text = (value: string) => `<string>${xmlText(value)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by Pawl; installing its service again replaces it. -->
<plist version="1.0">
<dict>
  <key>Label</key>${text(label)}
  <key>ProgramArguments</key><array>${words.map(text).join("")}</array>
  <key>WorkingDirectory</key>${text(app.home.dir)}
  <key>EnvironmentVariables</key><dict>${variables.map(([name, value]) => `<key>${xmlText(name)}</key>${text(value)}`).join("")}</dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ExitTimeOut</key><integer>60</integer>
  <key>StandardOutPath</key>${text(serviceLog(app))}
  <key>StandardErrorPath</key>${text(serviceLog(app))}
</dict>
</plist>
`;
}

/** What agents need and a service manager does not give. No secret: the file of a unit is no place for one. */
function variablesOf(app: Application, supervisor: string): Readonly<Record<string, string>> {
  const { storeName } = app;
  if (storeName !== null && hasPassword(storeName)) {
    throw new AppError("REFUSED", "PAWL_STORE has a password in it, and the file of a unit is no place for one", {
      hint: "put the password into ~/.pgpass, which only you may read, and name the store without it",
    });
  }
  const { PATH: path, PGPASSFILE: passwords } = app.env;
  const needsPasswords = passwords && storeName !== null && isPostgres(storeName);
  return {
    PAWL_HOME: app.home.dir,
    ...(storeName === null ? {} : { PAWL_STORE: storeName }),
    ...(needsPasswords ? { PGPASSFILE: app.path(passwords) } : {}),
    ...(path === undefined ? {} : { PATH: path }),
    PAWL_SUPERVISOR: supervisor,
  };
}

/** One quoted word of a unit; `%` and `$` stand for themselves. */
function unitWord(word: string): string {
  return `"${unitText(word).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "$$$$")}"`;
}

/** A line break would begin another setting. */
function unitText(text: string): string {
  if (/[\n\r\0]/.test(text))
    throw new AppError("USAGE", "a path with a line break cannot be part of a unit", {
      hint: "choose another PAWL_HOME",
    });
  return text.replaceAll("%", "%%");
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
