import { expect, test } from "vitest";
import { addressOf, pathTo } from "./address.ts";
import { titleOf } from "./page-title.ts";

test("[PG20] an address names the page, what it shows, and how: everything that a person may send to somebody", () => {
  expect(addressOf("/", "")).toMatchObject({ page: "home", id: "", tab: "" });
  expect(addressOf("/runs/7/lanes", "?at=175")).toEqual({
    page: "runs",
    id: "7",
    tab: "lanes",
    query: new Map([["at", "175"]]),
  });
  expect(addressOf("/gates/a%2Fb", "").id).toBe("a/b");
  for (const path of ["/nonsense", "/runs/7/lanes/more", "/%zz"]) expect(addressOf(path, "").page).toBe("nowhere");
});

test("[PG20] a path that the page makes is read as what it was made from", () => {
  const path = pathTo(["runs", "a/b?c", "events"], { q: "a & b", at: null, failed: "" });
  expect(path).toBe("/runs/a%2Fb%3Fc/events?q=a+%26+b");
  const [place = "", query = ""] = path.split("?", 2);
  expect(addressOf(place, query)).toMatchObject({ page: "runs", id: "a/b?c", tab: "events" });
  expect(addressOf(place, query).query.get("q")).toBe("a & b");
});

test("[PG31] a tab of the browser is named by what it shows, with the number of questions", () => {
  const title = (path: string, waiting = 0) => titleOf(addressOf(path, ""), waiting);
  expect(title("/")).toBe("Pawl");
  expect(title("/", 3)).toBe("(3) Pawl");
  expect(title("/runs/7/lanes", 1)).toBe("(1) Run #7 – Pawl");
  expect(title("/gates/g1", 12)).toBe("(12) Question – Pawl");
  expect(title("/workflows")).toBe("Workflows – Pawl");
  expect(title("/workflows/feature-dev")).toBe("feature-dev – Pawl");
  expect(title("/nothing/here")).toBe("Pawl");
});
