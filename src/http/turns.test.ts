import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

test("[HT53] few of the calls that start programs work at once; the others wait, and one whose client has left does not begin", async () => {
  const turns = new Turns(2);
  const here = new AbortController().signal;
  const ends: (() => void)[] = [];
  let most = 0;
  let working = 0;
  const work = async () => {
    working += 1;
    most = Math.max(most, working);
    await new Promise<void>((resolve) => ends.push(resolve));
    working -= 1;
  };
  const left = new AbortController();
  const taken = [1, 2, 3, 4].map(() => turns.take(here, work));
  const gone = turns.take(left.signal, work);
  const last = turns.take(here, work);
  left.abort();
  for (let ended = 0; ended < 5; ended += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(0);
    ends.shift()?.();
  }
  await Promise.all([...taken, last]);
  await expect(gone).rejects.toThrow("the client left before its turn came");
  expect({ most, working, begun: ends.length }).toEqual({ most: 2, working: 0, begun: 0 });
});
