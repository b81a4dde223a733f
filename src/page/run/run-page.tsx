// The page of a run: its first line, the time bar, and the views of it. All views show the same moment.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { address, go, pathTo } from "../address.ts";
import { useKeys } from "../keys.tsx";
import { Loading, Problem } from "../parts/notice.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { keyTexts } from "../texts/keys.ts";
import { runTexts as texts } from "../texts/run.ts";
import { ChainView } from "./chain/chain-view.tsx";
import { ChangesOfRun } from "./changes/changes-view.tsx";
import { CostView } from "./cost/cost-view.tsx";
import { EventsView } from "./events/events-view.tsx";
import { LanesView } from "./lanes/lanes-view.tsx";
import { RecoveryView } from "./recovery/recovery-view.tsx";
import { RunHeader } from "./run-header.tsx";
import { StoriesView } from "./stories/stories-view.tsx";
import { TimeBar } from "./time-bar.tsx";
import { type ViewOfRun, WatchedRun } from "./watched-run.ts";

type TabName = keyof typeof texts.tabs;

const views: Readonly<Record<TabName, (view: ViewOfRun) => ComponentChildren>> = {
  chain: ChainView,
  lanes: LanesView,
  stories: StoriesView,
  events: EventsView,
  cost: CostView,
  recovery: RecoveryView,
  changes: ChangesOfRun,
};

const tabNames = Object.keys(views) as readonly TabName[];

export function RunPage({ id }: { readonly id: string }) {
  const watched = useMemo(() => new WatchedRun(Number(id)), [id]);
  // A page that is left before it was painted has no other effects, and would read on.
  useLayoutEffect(() => () => watched.close(), [watched]);
  const shown = tabNames.find((name) => name === address.value.tab) ?? "chain";
  useKeys([
    ...tabNames.map((name, i) => ({
      key: String(i + 1),
      name: keyTexts.tab(texts.tabs[name]),
      act: () => go(tabPath(id, name)),
    })),
    { key: "[", name: keyTexts.back, act: () => watched.seek(watched.place.value - 1) },
    { key: "]", name: keyTexts.forward, act: () => watched.seek(watched.place.value + 1) },
    { key: ".", name: keyTexts.now, act: () => watched.seek(watched.length.value) },
  ]);
  const problem = watched.problem.value;
  // A moment of a long run that is not read yet is not now.
  const isUnread = address.value.query.has("at") && watched.past.value === null && !watched.isLoaded.value;
  if (watched.run.value === null || (isUnread && problem === null))
    return <div class="page">{problem === null ? <Loading /> : <Problem problem={problem} />}</div>;
  const View = views[shown];
  return (
    <div class="run">
      <RunHeader watched={watched} />
      <div class="page run-page">
        {problem === null ? null : <Problem problem={problem} />}
        <TimeBar watched={watched} />
        <Tabs
          label={texts.views}
          tabs={tabNames.map((name) => ({ name: texts.tabs[name], path: tabPath(id, name) }))}
          current={tabNames.indexOf(shown)}
        />
        <View watched={watched} />
      </div>
    </div>
  );
}

/** The selection and the moment stay the same. */
function tabPath(id: string, tab: TabName): string {
  return pathTo(["runs", id, tab], Object.fromEntries(address.value.query));
}
