// The names of keys.

export const keyTexts = {
  home: "Home",
  needsYou: "What needs you",
  search: "Search",
  next: "Next entry",
  previous: "Previous entry",
  tab: (name: string) => `Show ${name}`,
  back: "One event back in time",
  forward: "One event forward in time",
  now: "Back to now",
} as const;
