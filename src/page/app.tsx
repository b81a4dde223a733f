// The frame of every page: the bar with what needs a person, the state of the connection, and the page that the address names.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { GateList } from "../contracts/run-documents.ts";
import { address, type PageName } from "./address.ts";
import { heardAt, line, lineProblem } from "./api/changes.ts";
import { useDocument } from "./api/loaded.ts";
import { may } from "./api/role.ts";
import { signIn } from "./api/sign-in.ts";
import { AttemptPage } from "./attempt/attempt-page.tsx";
import { ComparePage } from "./compare/compare-page.tsx";
import { GatePage } from "./gate/gate-page.tsx";
import { HealthPage } from "./health/health-page.tsx";
import { Home } from "./home/home.tsx";
import { Keys } from "./keys.tsx";
import { NewRunPage } from "./new/new-run-page.tsx";
import { titleOf } from "./page-title.ts";
import { useCurrentInSight } from "./parts/tabs.tsx";
import { clockText } from "./parts/time-text.ts";
import { ProjectsPage } from "./projects/projects-page.tsx";
import { RoleLine } from "./role-line.tsx";
import { RunPage } from "./run/run-page.tsx";
import { SessionsPage } from "./sessions/sessions-page.tsx";
import { SignIn } from "./sign-in-page.tsx";
import { common } from "./texts/common.ts";
import { WorkflowPage } from "./workflows/workflow-page.tsx";
import { WorkflowsPage } from "./workflows/workflows-page.tsx";

const links: readonly { readonly page: PageName; readonly path: string; readonly name: string }[] = [
  { page: "home", path: "/", name: common.home },
  { page: "workflows", path: "/workflows", name: common.workflows },
  { page: "projects", path: "/projects", name: common.projects },
  { page: "sessions", path: "/sessions", name: common.sessions },
  { page: "health", path: "/health", name: common.health },
];

export function App() {
  if (signIn.value === "unknown") return null;
  if (signIn.value === "asked") return <SignIn />;
  return <SignedIn />;
}

function SignedIn() {
  const gates = useDocument<GateList>("/gates");
  const waiting = gates.value.document?.gates.length ?? 0;
  const { page, id } = address.value;
  const bar = useCurrentInSight<HTMLElement>(page);
  useEffect(() => {
    document.title = titleOf({ page, id }, waiting);
  }, [waiting, page, id]);
  return (
    <div class="shell">
      <a class="skip-link" href="#content">
        {common.skip}
      </a>
      <header>
        <div class="bar-top">
          <a class="mark plain-link" href="/">
            <img src="/icon.svg" width="22" height="22" alt="" />
            {common.product}
          </a>
          <nav ref={bar} aria-label={common.navigation}>
            {links.map(({ page, path, name }) => (
              <a key={page} href={path} aria-current={address.value.page === page ? "page" : undefined}>
                {name}
                {page === "home" && waiting > 0 ? <Waiting count={waiting} /> : null}
              </a>
            ))}
          </nav>
          <div class="rest">
            <Line />
            {may("operate") ? (
              <a class="button" href="/new">
                {common.newRun}
              </a>
            ) : null}
          </div>
        </div>
        <LostBanner />
        <RoleLine />
      </header>
      <main id="content" tabIndex={-1}>
        <Page />
      </main>
      <Keys />
    </div>
  );
}

function Waiting({ count }: { readonly count: number }) {
  return (
    <span class="count">
      {count}
      <span class="heard-only"> {common.needsYou}</span>
    </span>
  );
}

function Line() {
  const words = { live: common.live, lost: common.lost, connecting: common.connecting };
  return (
    <span class={`line ${line.value}`} role="status">
      {words[line.value]}
    </span>
  );
}

function LostBanner() {
  if (line.value !== "lost") return null;
  const why = lineProblem.value;
  return <p class="banner">{why === "" ? common.lostSince(clockText(heardAt.value)) : common.refused(why)}</p>;
}

interface PageProps {
  /** Of the address; empty: none. */
  readonly id: string;
}

const pages: Readonly<Partial<Record<PageName, (props: PageProps) => ComponentChildren>>> = {
  home: Home,
  attempts: ({ id }) => <AttemptPage key={id} id={id} />,
  runs: ({ id }) => (id === "" ? <Home /> : /^[1-9]\d{0,9}$/.test(id) ? <RunPage key={id} id={id} /> : <Nowhere />),
  gates: ({ id }) => (id === "" ? <Home /> : <GatePage key={id} id={id} />),
  compare: ComparePage,
  workflows: ({ id }) => (id === "" ? <WorkflowsPage /> : <WorkflowPage key={id} id={id} />),
  new: NewRunPage,
  projects: ProjectsPage,
  sessions: SessionsPage,
  health: HealthPage,
};

function Page() {
  const { page, id } = address.value;
  const Shown = pages[page] ?? Nowhere;
  return <Shown id={id} />;
}

function Nowhere() {
  return (
    <div class="page alone">
      <h1>{common.nowhere}</h1>
      <p>
        <a href="/">{common.toHome}</a>
      </p>
    </div>
  );
}
