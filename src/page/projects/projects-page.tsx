// The projects that work by the files of .ai/, each with where it stands and what can be said to it.

import type { ProjectList } from "../../contracts/http-documents.ts";
import { useDocument } from "../api/loaded.ts";
import { Empty, Loading, Problem, withCode } from "../parts/notice.tsx";
import { projectTexts as texts } from "../texts/projects.ts";
import { ProjectCard } from "./project-card.tsx";

export function ProjectsPage() {
  const { document, problem } = useDocument<ProjectList>("/projects").value;
  if (document === null)
    return <div class="page">{problem === null ? <Loading /> : <Problem problem={problem} />}</div>;
  const { projects, unreadable } = document;
  return (
    <div class="page">
      <h1>{texts.title}</h1>
      {problem === null ? null : <Problem problem={problem} />}
      {projects.length + unreadable.length === 0 ? (
        <Empty>
          <p>{withCode(texts.none)}</p>
          <pre>{texts.noneCommand}</pre>
        </Empty>
      ) : null}
      {projects.map((project) => (
        <ProjectCard key={project.root} project={project} />
      ))}
      {unreadable.map(({ root, why }) => (
        <section key={root} class="card project" aria-label={root}>
          <h2 class="one-line">{root}</h2>
          <p>
            <strong class="failed">{texts.unreadable}</strong>: {withCode(why)}
          </p>
        </section>
      ))}
    </div>
  );
}
