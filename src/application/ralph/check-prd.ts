// Checking a PRD. Owns: in which order its stories can be worked on.

import type { PrdCheck } from "../../contracts/workflow-documents.ts";
import type { StorySpec } from "../../domain/story.ts";
import { type Prd, readPrd } from "../../protocols/ralph/prd.ts";
import type { Application } from "../application.ts";
import { readText } from "../files.ts";

export function checkPrd(app: Application, file: string): PrdCheck {
  const prd = readPrd(readText(file, app.path(file)), file);
  const waves = wavesOf(prd);
  const stories = prd.stories.map(({ id, title, dependsOn, priority, passes }) => ({
    id,
    title,
    dependsOn,
    priority: priority ?? null,
    passes,
    wave: waves.get(id) ?? 0,
  }));
  return { file, stories, notes: prd.notes };
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
