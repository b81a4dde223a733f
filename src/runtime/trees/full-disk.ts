// Work that is done waits for disk space: it would be lost otherwise.

import { errorText } from "../../domain/error.ts";
import { isDiskFull } from "../../system/files/disk-full.ts";
import type { Parts } from "../parts.ts";

const waitMs = 2_000;

/** Performs `act`, and again while the disk is full, unless `isStopped`. `waits` says what waits. */
export async function whenThereIsSpace<T>(
  { clock, warn }: Pick<Parts, "clock" | "warn">,
  waits: string,
  isStopped: () => boolean,
  act: () => Promise<T>,
): Promise<T> {
  for (let isSaid = false; ; isSaid = true) {
    try {
      return await act();
    } catch (error) {
      if (!isDiskFull(error) || isStopped()) throw error;
      if (!isSaid) warn(`${waits}: the disk is full; free some disk space (${errorText(error)})`);
      await clock.sleep(waitMs);
    }
  }
}
