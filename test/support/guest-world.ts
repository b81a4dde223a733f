// Sites whose store is on a server, with the worker of their home and guests, and runs whose steps say on which machine they ran.

import { onTestFinished } from "vitest";
import { type GuestWorker, startGuest } from "./machines.ts";
import { newSite, pawl, type Site, type StatusDocument, startPawl, writeAt } from "./pawl.ts";
import { postgresAddress } from "./postgres.ts";
import { linesOf } from "./service.ts";
import { until } from "./until.ts";

export function guestWorld() {
  const site = newSite();
  const env = { PAWL_STORE: postgresAddress() };
  const call = async (...words: readonly string[]) => await pawl(words, { home: site.home, cwd: site.repo, env });
  const statusOf = async (run = "1") => JSON.parse((await call("status", run, "--json")).stdout) as StatusDocument;
  return { site, env, call, statusOf };
}

export type GuestWorld = ReturnType<typeof guestWorld>;

/** The worker of the home that has the repository. */
export async function startHostOf({ site, env }: GuestWorld, ...words: readonly string[]) {
  const running = startPawl(["worker", "--json", ...words], { home: site.home, cwd: site.repo, env });
  onTestFinished(async () => {
    running.child.kill("SIGKILL");
    await running.ended;
  });
  await until(() => running.stdout().includes("\n") || running.child.exitCode !== null);
  return running;
}

export const guestOf = async (
  { site, env }: GuestWorld,
  name: string,
  ...words: readonly string[]
): Promise<GuestWorker> => await startGuest({ site, env, name }, ...words);

const usualBody = (labels: string) => `
      - { id: code, agent: coder, input: "code {{task}}", labels: ${labels} }
      - { id: check, agent: checker, input: "check" }`;

/** Stories of two steps. Each says in `where` on which machine it ran, and `code` leaves a commit and a file that is in none. */
export function farStories(
  site: Site,
  count: number,
  labels = "[of-two]",
  body = usualBody(labels),
): readonly string[] {
  const planned = Array.from({ length: count }, (_, index) => ({
    id: `US-${index + 1}`,
    title: `Story ${index + 1}`,
    description: "A file.",
    acceptanceCriteria: ["It is there."],
  }));
  const workflow = `pawl: 1
id: far
agents: { planner: {}, coder: {}, checker: {} }
steps:
  - { id: plan, agent: planner, input: "plan", produces: [stories] }
  - id: each
    stories: { concurrency: 4, workspace: worktree }
    body:${body}
      - { id: land, integrate: {} }
`;
  const agent = `echo "begun by $(hostname)"
echo "$PAWL_STEP $PAWL_STORY $(hostname) $(pwd)" >> ${site.path("where")}
env | grep -i postgres >> ${site.path("secrets")}
[ -z "$PAWL_PROGRESS_FILE" ] || { mkdir -p "$(dirname "$PAWL_PROGRESS_FILE")"; echo "$PAWL_STEP of $PAWL_STORY" >> "$PAWL_PROGRESS_FILE"; }
n=0
while [ -e ${site.path("hold")}-$PAWL_STEP ] && [ $n -lt 2400 ]; do sleep 0.05; n=$((n+1)); done
case $PAWL_STEP in
plan) echo 'STORIES_JSON: ${JSON.stringify(planned)}';;
code) echo "$PAWL_STORY" > "$PAWL_STORY.txt"; git add . && git -c user.name=a -c user.email=a@example.com commit -qm "code $PAWL_STORY"; echo loose > "$PAWL_STORY.loose";;
more) [ -e "$PAWL_STORY.txt" ] && echo more >> "$PAWL_STORY.loose" || exit 1;;
last) cp "$PAWL_STORY.loose" ${site.path("last")}; cp "$PAWL_PROGRESS_FILE" ${site.path("progress")};;
check) [ -e "$PAWL_STORY.txt" ] && [ -e "$PAWL_STORY.loose" ] || { echo "nothing is here"; exit 1; };;
esac
echo "$PAWL_STEP $PAWL_STORY done" >> ${site.path("done")}
echo "said by $(hostname)"
echo "STATUS: done"
`;
  const file = writeAt(site, "far.yml", workflow);
  return [file, "do it", "--executor", `command: sh ${writeAt(site, "agent.sh", agent)}`];
}

export const machinesOf = (site: Site, step: string) =>
  linesOf(site, "where")
    .filter((line) => line.startsWith(`${step} `))
    .map((line) => line.split(" ")[2]);

/** A chain of steps, each of which adds a file of its name. */
export function farChain(site: Site, ...steps: readonly (readonly [id: string, label: string])[]): readonly string[] {
  const lines = steps.map(([id, label]) => `  - { id: ${id}, agent: worker, input: "x", labels: [${label}] }`);
  const workflow = `pawl: 1\nid: chain\nagents: { worker: {} }\nsteps:\n${lines.join("\n")}\n`;
  const agent = `echo "$PAWL_STEP run $(hostname) $(pwd)" >> ${site.path("where")}
echo $PAWL_STEP > $PAWL_STEP.txt
n=0
while [ -e ${site.path("hold")}-$PAWL_STEP ] && [ $n -lt 2400 ]; do sleep 0.05; n=$((n+1)); done
echo "STATUS: done"
`;
  const program = `command: sh ${writeAt(site, "chain.sh", agent)}`;
  return [writeAt(site, "chain.yml", workflow), "do it", "--executor", program];
}
