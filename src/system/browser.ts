// The browser of this machine. Owns: which program shows an address here, and whether it could be started. No shell reads the address.

import { spawn } from "node:child_process";

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that cannot show anything says so within this time; a browser stays, or hands the address over and ends. */
const graceMs = 1_500;

/** False: there is no browser, or no screen for one. */
export async function openBrowser(
  address: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  for (const command of browserCommands(address, env, platform)) if (await isStarted(command, env)) return true;
  return false;
}

/** What can be tried, in order. */
export function browserCommands(
  address: string,
  env: Environment,
  platform: NodeJS.Platform,
): readonly (readonly string[])[] {
  const chosen = (env["BROWSER"] ?? "").split(":").flatMap((text) => {
    const words = text.split(/\s+/).filter((word) => word !== "");
    return words.length === 0 ? [] : [withAddress(words, address)];
  });
  if (platform === "darwin") return [...chosen, ["open", address]];
  const isWindowsBelow = [env["WSL_DISTRO_NAME"], env["WSL_INTEROP"]].some(isSet);
  // Not `cmd.exe /c start`: it would read signs of the address as its own.
  if (isWindowsBelow)
    return [...chosen, ["wslview", address], ["rundll32.exe", "url.dll,FileProtocolHandler", address]];
  // Without a screen it would start a browser for terminals, which nobody sees.
  const hasScreen = [env["DISPLAY"], env["WAYLAND_DISPLAY"]].some(isSet);
  return hasScreen ? [...chosen, ["xdg-open", address]] : chosen;
}

function withAddress(words: readonly string[], address: string): readonly string[] {
  if (!words.some((word) => word.includes("%s"))) return [...words, address];
  return words.map((word) => word.replaceAll("%s", () => address));
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

async function isStarted([program = "", ...args]: readonly string[], env: Environment): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const child = spawn(program, args, { env, detached: true, stdio: "ignore" });
    const timer = setTimeout(() => end(true), graceMs);
    const end = (isThere: boolean): void => {
      clearTimeout(timer);
      child.unref();
      resolve(isThere);
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
  });
}
