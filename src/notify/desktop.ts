// Shows a message on the desktop. Now or never: hours later it is useless.

import { callProgram, type ProgramPlace } from "./program.ts";
import type { Delivery, DeliveryCall, Notice } from "./target.ts";

/** Where the desktop of the session is. */
const session = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"];

export async function tellDesktop(
  around: ProgramPlace,
  notice: Notice,
  { signal }: DeliveryCall,
  platform: NodeJS.Platform = process.platform,
): Promise<Delivery> {
  const command = commandFor(platform, `Pawl: run #${notice.run.number}`, textOf(notice));
  if (command === null) return { outcome: "dropped", why: `no desktop messages on ${platform}` };
  const problem = await callProgram({ command, env: session, input: "", signal }, around);
  return problem === null ? { outcome: "delivered" } : { outcome: "dropped", why: `no desktop: ${problem}` };
}

/** With the answers that there are. */
function textOf({ text, gate }: Notice): string {
  return gate === null ? text : `${text} (${gate.options.join(" | ")})`;
}

/** Words reach the program as arguments, never as part of a script: an agent may have written them. */
export function commandFor(
  platform: NodeJS.Platform,
  title: string,
  text: string,
): readonly [string, ...string[]] | null {
  if (platform === "linux") return ["notify-send", "--app-name=Pawl", "--", title, withoutMarkup(text)];
  if (platform !== "darwin") return null;
  const show = "display notification (item 2 of argv) with title (item 1 of argv)";
  return ["osascript", "-e", "on run argv", "-e", show, "-e", "end run", title, text];
}

function withoutMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
