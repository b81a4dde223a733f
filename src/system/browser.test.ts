import { expect, test } from "vitest";
import { browserCommands } from "./browser.ts";

const address = "http://127.0.0.1:7295/#code=$(x)&y";

test("[PG10] each system has its own way to a browser, and a chosen one comes first; the address is one argument", () => {
  const commands = (env: Record<string, string>, platform: NodeJS.Platform = "linux") =>
    browserCommands(address, env, platform);
  expect(commands({})).toEqual([]);
  expect(commands({ DISPLAY: "" })).toEqual([]);
  expect(commands({ DISPLAY: ":0" })).toEqual([["xdg-open", address]]);
  expect(commands({ WAYLAND_DISPLAY: "wayland-0" })).toEqual([["xdg-open", address]]);
  expect(commands({}, "darwin")).toEqual([["open", address]]);
  expect(commands({ WSL_DISTRO_NAME: "Debian", DISPLAY: ":0" })).toEqual([
    ["wslview", address],
    ["rundll32.exe", "url.dll,FileProtocolHandler", address],
  ]);
  expect(commands({ BROWSER: "firefox --new-window %s:lynx", DISPLAY: ":0" })).toEqual([
    ["firefox", "--new-window", address],
    ["lynx", address],
    ["xdg-open", address],
  ]);
  expect(commands({ BROWSER: " " })).toEqual([]);
  expect(commands({ BROWSER: "chromium --app=%s" }, "darwin")[0]).toEqual(["chromium", `--app=${address}`]);
});
