// Converts a story id to its column in tables whose rows belong to a scope, and back. A key column must not be null, so the run's
// own scope is "".

import { type StoryId, storyId } from "../../domain/ids.ts";

export const scopeKey = (story: StoryId | null): string => story ?? "";
export const storyOfKey = (key: string): StoryId | null => (key === "" ? null : storyId(key));
