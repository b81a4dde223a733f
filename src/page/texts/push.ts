// Words about messages on this device.

export const pushTexts = {
  start: "Tell me on this device",
  stop: "Stop telling me on this device",
  denied: "this browser does not allow messages of this page",
  allow: "allow notifications for this address in the settings of the browser",
  failed: (why: string) => `this browser could not be reached by messages: ${why}`,
} as const;
