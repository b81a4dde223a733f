// Messages on this device. Owns: the browser's subscription to web push, and the button that makes and ends it. It works where the
// address allows it: https, or this very machine.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PushState, PushSubscriptionDocument } from "../contracts/push-documents.ts";
import { CallProblem, get, post } from "./api/calls.ts";
import { Problem } from "./parts/notice.tsx";
import { pushTexts as texts } from "./texts/push.ts";

const worker = "/push-worker.js";

/** The one address that a script may be made from: the page's policy allows no other. */
function workerAddress(): string {
  const policies = (globalThis as unknown as { readonly trustedTypes?: TrustedTypes }).trustedTypes;
  return policies?.createPolicy("pawl-push", { createScriptURL: () => worker }).createScriptURL(worker) ?? worker;
}

/** Made when the page is loaded: a name that is taken cannot be given to another policy. */
const address = workerAddress();

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(path: string): string },
  ): { createScriptURL(path: string): string };
}

async function registration(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register(address);
  return await navigator.serviceWorker.ready;
}

async function currentSubscription(): Promise<PushSubscription | null> {
  const found = await navigator.serviceWorker.getRegistration();
  return (await found?.pushManager.getSubscription()) ?? null;
}

async function subscribe(): Promise<void> {
  const { publicKey } = await get<PushState>("/push");
  const { pushManager } = await registration();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const { endpoint, keys } = made.toJSON();
  const kept = await post<PushSubscriptionDocument>("/push/subscriptions", { endpoint, keys });
  localStorage.setItem("pawl.push", kept.id);
}

async function unsubscribe(): Promise<void> {
  await (await currentSubscription())?.unsubscribe();
  const id = localStorage.getItem("pawl.push");
  localStorage.removeItem("pawl.push");
  if (id !== null) await post(`/push/subscriptions/${encodeURIComponent(id)}/remove`, {});
}

type State = "unknown" | "impossible" | "off" | "on";

export function PushButton() {
  const state = useSignal<State>("unknown");
  const problem = useSignal<CallProblem | null>(null);
  const look = async () => {
    const isPossible = isSecureContext && "serviceWorker" in navigator && "PushManager" in globalThis;
    state.value = !isPossible ? "impossible" : (await currentSubscription()) === null ? "off" : "on";
  };
  useEffect(() => void look(), []);
  const press = async () => {
    problem.value = null;
    try {
      await (state.value === "on" ? unsubscribe() : subscribe());
    } catch (error) {
      problem.value = error instanceof CallProblem ? error : refusedByBrowser(error);
    }
    await look();
  };
  if (state.value === "unknown" || state.value === "impossible") return null;
  return (
    <>
      <button type="button" aria-pressed={state.value === "on"} onClick={() => void press()}>
        {state.value === "on" ? texts.stop : texts.start}
      </button>
      {problem.value === null ? null : <Problem problem={problem.value} />}
    </>
  );
}

function refusedByBrowser(error: unknown): CallProblem {
  const isDenied = error instanceof DOMException && error.name === "NotAllowedError";
  const why = error instanceof Error ? error.message : String(error);
  return new CallProblem(0, { detail: isDenied ? texts.denied : texts.failed(why), hint: isDenied ? texts.allow : "" });
}
