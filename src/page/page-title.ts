// What a tab of the browser is called: how many questions wait, and what the page shows.

import type { Address, PageName } from "./address.ts";
import { common } from "./texts/common.ts";

const names: Readonly<Partial<Record<PageName, (id: string) => string>>> = {
  runs: (id) => (id === "" ? "" : common.runTitle(id)),
  gates: () => common.question,
  attempts: () => common.attempt,
  compare: () => common.compare,
  workflows: (id) => (id === "" ? common.workflows : id),
  new: () => common.newRun,
  projects: () => common.projects,
  sessions: () => common.sessions,
  health: () => common.health,
};

export function titleOf({ page, id }: Pick<Address, "page" | "id">, waiting: number): string {
  const name = names[page]?.(id) ?? "";
  return `${waiting === 0 ? "" : `(${waiting}) `}${name === "" ? "" : `${name} – `}${common.product}`;
}
