// Measures how long it takes to put one finished story on the base, against the git commands that a person would type.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { integrateStory } from "../src/workspaces/integration/integration.ts";
import { ensureSlot, enterStory, leaveStory } from "../src/workspaces/slots/slot.ts";
import { byProducts } from "../src/workspaces/trees/by-products.ts";
import { takeSnapshot } from "../src/workspaces/trees/snapshot.ts";
import { alternate, type Measurement, medianOf, ms, type Stopwatch } from "./measure.ts";
import { git, makeLargeRepository } from "./story-world.ts";

export const integrate: Measurement = {
  name: "integrate",
  async measure({ quick, scratch }) {
    const ours = new Scene(makeLargeRepository(join(scratch, "ours")), join(scratch, "slot"));
    const bare = new Scene(makeLargeRepository(join(scratch, "bare")), join(scratch, "tree"));
    await ensureSlot({ run: "bench", repo: ours.repo, path: ours.tree, base: git(ours.repo, "rev-parse", "main") });
    git(bare.repo, "worktree", "add", "--quiet", "--detach", bare.tree, "main");
    const samples = await alternate(
      { ours: (time) => integrated(ours, time), bare: (time) => typed(bare, time) },
      { warmUp: 2, counted: quick ? 6 : 25 },
    );
    const [product, byHand] = [medianOf(samples.ours, "wallMs"), medianOf(samples.bare, "wallMs")];
    return [
      {
        what: "integrating a finished story, against rebase, squash and commit by hand",
        measured: `${ms(product)} against ${ms(byHand)}`,
        value: product / byHand,
        unit: "times",
        target: { atMost: 1.5 },
      },
    ];
  },
};

/** A repository whose base moves while a story is in progress. */
class Scene {
  readonly repo: string;
  readonly tree: string;
  #stories = 0;

  constructor(repo: string, tree: string) {
    this.repo = repo;
    this.tree = tree;
  }

  next(): string {
    this.#stories += 1;
    return `S-${this.#stories}`;
  }

  /** The story's work, and other commits on the base meanwhile. */
  work(story: string): void {
    commit(this.tree, join("stories", `${story}.txt`), `the work of ${story}`);
    commit(this.repo, join("others", `${story}.txt`), `beside ${story}`);
  }
}

function commit(tree: string, name: string, message: string): void {
  const file = join(tree, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `${message}\n`);
  git(tree, "add", "--", name);
  git(tree, "commit", "--quiet", `--message=${message}`);
}

async function integrated(scene: Scene, time: Stopwatch): Promise<void> {
  const { repo, tree: path } = scene;
  const story = scene.next();
  const base = git(repo, "rev-parse", "main");
  const home = join(path, "..");
  await enterStory({
    run: "bench",
    repo,
    path,
    story,
    branch: `bench/${story}`,
    base,
    parked: join(home, `${story}.json`),
  });
  scene.work(story);
  await time(async () => {
    const done = await integrateStory({
      run: "bench",
      story,
      repo,
      path,
      base: "main",
      baseAt: base,
      floor: base,
      side: "side",
      message: `feat: ${story}`,
      snapshot: await takeSnapshot(path),
      ignoring: [],
      isByProduct: byProducts(),
      intentFile: join(home, "intent.json"),
      check: async () => null,
      isWanted: async () => true,
    });
    if (done.result !== "integrated") throw new Error(`the story ended as ${done.result}`);
    await leaveStory({ path, repo, commit: done.commit });
  });
}

async function typed(scene: Scene, time: Stopwatch): Promise<void> {
  const { repo, tree } = scene;
  const branch = `bench/${scene.next()}`;
  git(tree, "checkout", "--quiet", "--no-track", "-b", branch, "main");
  scene.work(branch.replace("/", "-"));
  await time(() => {
    git(tree, "rebase", "--quiet", "main");
    git(repo, "merge", "--quiet", "--squash", branch);
    git(repo, "commit", "--quiet", `--message=feat: ${branch}`);
    git(tree, "checkout", "--quiet", "--detach", "main");
    git(repo, "branch", "--quiet", "-D", branch);
  });
}
