// A change of this machine's network: an address comes or goes, because a container, a VPN or a namespace starts or ends. The browser then
// cuts every connection, also those to this machine. That is no fault of a page, and a test that failed with it is done again.

import { onTestFinished, type TestContext } from "vitest";

/** What the browser calls it. `vitest.config.ts` does a test again whose last error says this. */
const word = "ERR_NETWORK_CHANGED";

let hasChanged = false;

/** True: this is about the network of the machine, and not about the page. */
export function isNetworkChange(said: string): boolean {
  const isChange = said.includes(word);
  hasChanged ||= isChange;
  return isChange;
}

/** Called before anything else of a test, so that it looks at what everything else has found. */
export function watchNetwork({ task }: Pick<TestContext, "task">): void {
  hasChanged = false;
  const before = task.result?.errors?.length ?? 0;
  onTestFinished(() => {
    if (task.result?.state !== "fail") return;
    const errors = task.result.errors?.slice(before) ?? [];
    if (hasChanged || errors.some(({ message }) => message.includes(word)))
      throw new Error(
        `the network of this machine changed during the test, ${word}: the errors above may come from that`,
      );
  });
}
