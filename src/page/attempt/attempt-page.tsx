// The page of an attempt: what is known of it, and its views: the live log, the prompt, the result, the changes.

import type { ComponentChildren } from "preact";
import type { AttemptDocument } from "../../contracts/http-documents.ts";
import { address, go, pathTo } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { ReadDiff } from "../diff/read-diff.tsx";
import { useKeys } from "../keys.tsx";
import { Loading, Problem } from "../parts/notice.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { attemptTexts as texts } from "../texts/attempt.ts";
import { keyTexts } from "../texts/keys.ts";
import { AttemptHeader } from "./attempt-header.tsx";
import { LogView } from "./log/log-view.tsx";
import { PromptView } from "./prompt-view.tsx";
import { ResultView } from "./result-view.tsx";

interface ViewProps {
  readonly attempt: AttemptDocument;
}

type ViewName = keyof typeof texts.tabs;

const views: Readonly<Record<ViewName, (props: ViewProps) => ComponentChildren>> = {
  log: ({ attempt: { id } }) => <LogView id={id} />,
  prompt: ({ attempt: { id } }) => <PromptView id={id} />,
  result: ResultView,
  changes: ({ attempt: { id } }) => <ReadDiff path={`/attempts/${encodeURIComponent(id)}/diff`} how="once" />,
};

const viewNames = Object.keys(views) as readonly ViewName[];

export function AttemptPage({ id }: { readonly id: string }) {
  const { document: attempt, problem } = useDocument<AttemptDocument>(`/attempts/${encodeURIComponent(id)}`).value;
  const shown = viewNames.find((name) => name === address.value.query.get("show")) ?? "log";
  useKeys(
    viewNames.map((name, i) => ({
      key: String(i + 1),
      name: keyTexts.tab(texts.tabs[name]),
      act: () => go(viewPath(id, name)),
    })),
  );
  if (attempt === null) return <div class="page">{problem === null ? <Loading /> : <Problem problem={problem} />}</div>;
  const View = views[shown];
  return (
    <div class="attempt">
      <AttemptHeader attempt={attempt} />
      <div class="page run-page">
        <Tabs
          label={texts.views}
          tabs={viewNames.map((name) => ({ name: texts.tabs[name], path: viewPath(id, name) }))}
          current={viewNames.indexOf(shown)}
        />
        <View attempt={attempt} />
      </div>
    </div>
  );
}

function viewPath(id: string, name: ViewName): string {
  return pathTo(["attempts", id], { show: name === "log" ? null : name });
}
