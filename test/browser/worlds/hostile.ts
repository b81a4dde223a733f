// A run whose every text is an attack: scripts, escape sequences of terminals, reversed words, links that run code. They come the way of
// real ones: from a task, a planner, an agent's files and words, a note, and the question of a gate.

import { expectCode, newSite, type Site, writeAt } from "../../support/pawl.ts";
import { plan, writeScript } from "../../support/scripts.ts";
import { type ServedWorld, type ServeOptions, serveHome } from "./served.ts";

/** Run by a page, each sets `globalThis.attacked`. */
export const attacks = {
  script: `<script>globalThis.attacked = "script"</script>`,
  image: `<img src=x onerror="globalThis.attacked = 'image'">`,
  svg: `<svg onload="globalThis.attacked = 'svg'"></svg>`,
  frame: `<iframe srcdoc="<script>parent.attacked = 'frame'</script>"></iframe>`,
  closing: `</textarea></script></style>--><b>`,
  markdown: `[press](javascript:globalThis.attacked='markdown') ![x](http://evil.invalid/x.png) <http://evil.invalid/>`,
  template: `{{constructor.constructor("globalThis.attacked='template'")()}} \${globalThis.attacked="template"}`,
} as const;

const escape = "\u001b";
/** For a terminal: colours, a title, a link that runs code, a cleared screen, a character that rings. */
export const terminal = [
  `${escape}[31mred${escape}[0m`,
  `${escape}]0;attacked${escape}\\`,
  `${escape}]8;;javascript:globalThis.attacked='link'${escape}\\press${escape}]8;;${escape}\\`,
  `${escape}[2J${escape}[1;1H`,
  "\u0007\u0008\u009b31m",
].join(" ");
/** Reads `exe.txt` backwards; invisible characters; a name that goes on for ever. */
export const reversed = "\u202etxt.exe\u202c \u2066isolated\u2069 zero\u200bwidth \ufeff";

export const every = Object.values(attacks).join(" ");

export interface HostileWorld extends ServedWorld {
  readonly site: Site;
  readonly run: number;
}

export async function hostileWorld(options: ServeOptions = {}): Promise<HostileWorld> {
  const site = newSite();
  const workflow = writeAt(site, "hostile.yml", JSON.stringify(hostileWorkflow()));
  const task = `${every} ${reversed}`;
  const script = writeScript(site, {
    plan: [{ say: `${terminal}\n${every}\n${plan(stories())}` }],
    work: [
      {
        run: [`sh '${writeAt(site, "files.sh", filesScript())}'`],
        commit: `${attacks.image} ${attacks.script}`,
        say: `${terminal}\n# ${attacks.image}\n\n${every}\n\n| ${attacks.svg} |\n| --- |\n\n${reversed}\nSTATUS: done\nCHANGES: ${every}`,
        complain: `${terminal} ${every}\n`,
        usage: { usd: 0.01, input: 10, output: 10 },
      },
    ],
    verify: [
      { story: "US-001", attempt: 1, say: `STATUS: retry\nISSUES:\n- ${every} ${reversed}` },
      { say: `STATUS: done\nVERIFIED: ${every}` },
    ],
  });
  expectCode(await site.pawl("run", workflow, task, "--script", script), 3);
  expectCode(await site.pawl("note", "1", `${every} ${reversed}`), 0);
  return { ...(await serveHome(site.home, options)), site, run: 1 };
}

/** The name of every file in the change. */
export const hostileFiles = [
  `${attacks.image.replaceAll("/", "")}.js`,
  "\u202etxt.exe",
  "javascript:alert(1)",
  "-rf ~",
  "a\tb\nc.txt",
  "'; echo x #.html",
] as const;

function stories() {
  return [attacks.script, attacks.image, `${attacks.markdown} ${reversed}`].map((title, index) => ({
    id: `US-00${index + 1}`,
    title,
    description: `${every}\n\n# ${attacks.image}\n\n- ${attacks.markdown}`,
    acceptanceCriteria: [every, reversed],
  }));
}

function hostileWorkflow(): object {
  return {
    pawl: 1,
    id: "hostile",
    name: attacks.image,
    description: every,
    agents: { worker: { name: attacks.script, description: attacks.svg } },
    steps: [
      { id: "plan", title: attacks.script, agent: "worker", input: "{{task}}" },
      {
        id: "build",
        title: attacks.image,
        stories: {},
        body: [
          {
            id: "work",
            title: attacks.svg,
            agent: "worker",
            input: "{{current_story}} {{feedback}}",
            produces: ["changes"],
          },
          {
            id: "verify",
            title: attacks.markdown,
            agent: "worker",
            input: "{{current_story}}",
            on: { rejected: { back_to: "work", at_most: 3, then: "fail" } },
          },
        ],
      },
      {
        id: "look",
        title: attacks.frame,
        gate: `${attacks.script} ${attacks.markdown} ${reversed}?`,
        options: { approve: "next", reject: "fail" },
      },
    ],
  };
}

/** Writes a file of each name, with every attack in its lines. */
function filesScript(): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const text = `${every}\n${terminal}\n${reversed}\n@@ -1 +1 @@\ndiff --git a/x b/x\n`;
  const lines = hostileFiles.map(
    (name) => `printf '%s%s %s\\n' ${quoted(text)} "$PAWL_STORY" "$PAWL_ATTEMPT" > ./${quoted(name)}`,
  );
  return `set -e\n${lines.join("\n")}\n`;
}
