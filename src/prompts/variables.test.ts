import { expect, test } from "vitest";
import { engineKeys } from "../domain/context.ts";
import { storyId } from "../domain/ids.ts";
import type { StoryEntry, StorySpec, StoryStatus } from "../domain/story.ts";
import { renderTemplate } from "./template.ts";
import { formatCompletedStories, formatStory, storyVariables } from "./variables.ts";

const spec: StorySpec = {
  id: storyId("US-001"),
  title: "Add status field",
  description: "A column.",
  acceptanceCriteria: ["Migration runs", "Typecheck passes"],
  dependsOn: [],
};
const entries = (...statuses: StoryStatus[]): StoryEntry[] =>
  statuses.map((status, index) => ({
    id: storyId(`US-00${index + 1}`),
    title: `T${index + 1}`,
    status,
    dependsOn: [],
    openDependencies: 0,
  }));
const at = (...statuses: StoryStatus[]) =>
  storyVariables({ spec, entries: entries(...statuses), feedback: "", progress: "p" });

test("[A26] the current story is a block with id, title, description and numbered criteria", () => {
  expect(formatStory(spec)).toBe(
    "Story US-001: Add status field\n\nA column.\n\nAcceptance Criteria:\n  1. Migration runs\n  2. Typecheck passes",
  );
  const bare = { ...spec, description: spec.title, acceptanceCriteria: [] };
  expect(formatStory(bare)).toBe("Story US-001: Add status field");
});

test("[A28] completed stories are one line each, or a fixed text", () => {
  expect(formatCompletedStories(entries("done", "failed", "done", "running"))).toBe("- US-001: T1\n- US-003: T3");
  expect(formatCompletedStories(entries("running", "waiting"))).toBe("(none yet)");
});

test("[A29] what remains are the stories that wait: 2, 1, 0", () => {
  expect(at("running", "waiting", "waiting").stories_remaining).toBe("2");
  expect(at("done", "running", "waiting").stories_remaining).toBe("1");
  expect(at("done", "done", "running").stories_remaining).toBe("0");
});

test("[A27] [A30] [A31] id, title, feedback and progress are there for every step of the story", () => {
  expect(at("running")).toMatchObject({
    current_story_id: "US-001",
    current_story_title: "Add status field",
    verify_feedback: "",
    progress: "p",
  });
  const sentBack = storyVariables({ spec, entries: [], feedback: "no tests", progress: "" });
  expect(sentBack.verify_feedback).toBe("no tests");
});

test("[PR7 A25] a template with all of them has nothing missing, and without a story they are empty", () => {
  const names = Object.keys(at("running"));
  expect(names).toHaveLength(8);
  const template = names.map((name) => `{{${name}}}`).join(" ");
  expect(renderTemplate(template, at("running"), []).missing).toEqual([]);
  expect(renderTemplate(template, {}, [...engineKeys]).text.trim()).toBe("");
});
