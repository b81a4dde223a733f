// Links to one gate over HTTP. GET and HEAD show the page and change nothing; POST is its button. The link is the permission: no token
// is asked for, and wrong links are limited, however many a client tries.

import { type Context, Hono } from "hono";
import { answerLink, viewLink } from "../../application/gates/gate-links.ts";
import { AppError } from "../../domain/error.ts";
import type { ApiParts, HttpEnvironment } from "../api.ts";
import { textBody } from "../body.ts";
import { FailedSignIns } from "../limits.ts";
import { problemOf } from "../problem.ts";
import { Refusal } from "../refusal.ts";
import { linkPage, noticePage, pageHeaders } from "./page.ts";
import { linkRoot } from "./path.ts";

const mostFormBytes = 64 * 1024;

export function linkRouter({ app, protection, log }: Pick<ApiParts, "app" | "protection" | "log">) {
  const failed = new FailedSignIns(protection.limits.failedSignIns, () => performance.now());
  const router = new Hono<HttpEnvironment>({ strict: true });

  const shown = (call: Context<HttpEnvironment>, view: Parameters<typeof linkPage>[0], status?: 409): Response => {
    const page = linkPage(view, call.req.query("answer"));
    if (view.kind === "unknown") {
      const waitSeconds = failed.add(call.env.incoming.socket.remoteAddress ?? "");
      if (waitSeconds !== null) return tooOften(waitSeconds);
    }
    return answered(page.html, status ?? page.status);
  };

  router.get(`${linkRoot}:link`, async (call) => shown(call, await viewLink(app, call.req.param("link"))));

  router.post(`${linkRoot}:link`, async (call) => {
    const link = call.req.param("link");
    const form = new URLSearchParams(await textBody(call.req.raw, mostFormBytes));
    const field = (name: string) => form.get(name) ?? "";
    const view = await answerLink(app, link, {
      answer: field("answer"),
      note: field("note").replaceAll("\r\n", "\n"),
      tree: field("tree"),
    });
    // Relative, since a proxy may serve it below a path. A page that is loaded again then sends no form again.
    if (view === null) return new Response(null, { status: 303, headers: { ...pageHeaders, location: link } });
    return shown(call, view, view.kind === "over" ? 409 : undefined);
  });

  router.onError((error, call) => {
    if (error instanceof Refusal) return answered(noticePage("That did not work", error.message), error.problem.status);
    if (!(error instanceof AppError)) log("http.defect", { path: linkRoot, why: error.stack ?? call.req.method });
    const { status, detail, hint } = problemOf(error);
    return answered(noticePage("That did not work", `${detail}. ${hint}.`), status);
  });
  return router;
}

function answered(html: string, status: number): Response {
  return new Response(html, { status, headers: pageHeaders });
}

function tooOften(seconds: number): Response {
  const page = noticePage("Too many links that are not valid", `Try again in ${seconds} seconds.`);
  return new Response(page, { status: 429, headers: { ...pageHeaders, "retry-after": String(seconds) } });
}
