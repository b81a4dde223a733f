// Checking a PRD. Owns: in which order its stories can be worked on, and whether a run of them fits its caps.

import type { PrdCheck } from "../../contracts/workflow-documents.ts";
import type { StorySpec } from "../../domain/story.ts";
import { type Prd, readPrd } from "../../protocols/ralph/prd.ts";
import { tighten } from "../../runtime/config/config.ts";
import { openWorkflow } from "../../runtime/runs/workflow-library.ts";
import type { Application } from "../application.ts";
import { readText } from "../files.ts";
import { capWarnings } from "../steering/caps.ts";

/** `workflow`: a bundled or installed id, or a path. */
export async function checkPrd(app: Application, file: string, workflow: string): Promise<PrdCheck> {
  const prd = readPrd(readText(file, app.path(file)), file);
  const config = await app.configuration(".");
  const definition = tighten(config, openWorkflow(app.home, workflow, app.protocols, app.cwd).definition);
  const open = prd.stories.filter(({ passes }) => !passes).length;
  const { needs, caps, notes } = capWarnings(definition, { all: prd.stories.length, open });
  const waves = wavesOf(prd);
  const stories = prd.stories.map(({ id, title, dependsOn, priority, passes }) => ({
    id,
    title,
    dependsOn,
    priority: priority ?? null,
    passes,
    wave: waves.get(id) ?? 0,
  }));
  return {
    file,
    stories,
    needs,
    caps,
    notes: [...prd.notes, ...notes],
  };
}

function wavesOf(prd: Prd): ReadonlyMap<string, number> {
  const byId = new Map(prd.stories.map((story) => [story.id, story]));
  const waves = new Map<string, number>();
  const waveOf = (id: StorySpec["id"]): number => {
    const known = waves.get(id);
    if (known !== undefined) return known;
    const story = byId.get(id);
    const wave = story === undefined || story.passes ? 0 : 1 + Math.max(0, ...story.dependsOn.map(waveOf));
    waves.set(id, wave);
    return wave;
  };
  for (const { id } of prd.stories) waveOf(id);
  return waves;
}
