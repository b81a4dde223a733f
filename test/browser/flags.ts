// The flags with which the tests start their browser.

/**
 * Not the flags of the package: they turn the same-origin policy off, and a test of it would prove nothing. A container has no sandbox
 * for its root, and text that is hinted has another width on each machine.
 */
export const browserFlags: readonly string[] = ["--no-sandbox", "--font-render-hinting=none"];
