// Measures what the product costs over the rows it writes. The other side writes the same rows, in the same transactions, with
// prepared statements and precomputed values. Its rows come from a real cycle and are compared with it at the end.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { alternate, type Measurement, medianOf, ms } from "./measure.ts";
import { type Bound, preparer, readAll, rowsOfRun, runAll, tablesOf } from "./rows.ts";
import { newNames, openFilledWorld, type SampleRun, takeSample } from "./sample.ts";
import { begin, cycleToEnd, sixSteps } from "./world.ts";

export const cycleByHand: Measurement = {
  name: "cycle-by-hand",
  async measure({ quick, scratch }) {
    const sample = await takeSample(join(scratch, "sample"));
    const product = await openFilledWorld(join(scratch, "product"), sample, 10);
    const other = await openFilledWorld(join(scratch, "hand"), sample, 10);
    const db = new DatabaseSync(join(scratch, "hand", "pawl.db"), { timeout: 0 });
    db.exec("pragma synchronous = full; pragma foreign_keys = on");
    const prepare = preparer(db);
    const finished = { product: "", hand: "" };

    const rounds = quick ? { warmUp: 5, counted: 30 } : { warmUp: 200, counted: 120 };
    const taken = await alternate(
      {
        async product(time) {
          finished.product = await begin(product, sixSteps);
          await time(() => cycleToEnd(product));
        },
        async hand(time) {
          const run = await begin(other, sixSteps);
          finished.hand = run;
          const number = (await other.store.runById(run))?.number ?? 0;
          const names = newNames(sample, number, run);
          const moves = sample.moves.flatMap((move) => [
            move.claim.bind(prepare, names),
            move.complete.bind(prepare, names),
          ]);
          await time(() => writeByHand(db, moves));
        },
      },
      rounds,
    );
    await Promise.all([product.store.close(), other.store.close()]);
    assertSameRows(join(scratch, "product", "pawl.db"), db, sample, finished);
    db.close();

    const perCycle = (side: keyof typeof taken, key: "wallMs" | "cpuMs") =>
      medianOf(taken[side], key) / sixSteps.steps.length;
    const figure = (key: "wallMs" | "cpuMs") => ({
      measured: `${ms(perCycle("product", key))} against ${ms(perCycle("hand", key))} a cycle`,
      value: perCycle("hand", key) / perCycle("product", key),
      unit: "times" as const,
    });
    return [
      { what: "cycles per second, against the same rows by hand", ...figure("wallMs"), target: { atLeast: 0.55 } },
      { what: "CPU of a cycle, against the same rows by hand", ...figure("cpuMs"), target: { atLeast: 0.2 } },
    ];
  },
};

function writeByHand(db: DatabaseSync, moves: readonly (readonly Bound[])[]): void {
  for (const move of moves) {
    db.exec("begin immediate");
    runAll(move);
    db.exec("commit");
  }
}

/** A copy that wrote less would make the product look slow. */
function assertSameRows(
  productFile: string,
  hand: DatabaseSync,
  sample: SampleRun,
  runs: { readonly product: string; readonly hand: string },
): void {
  const product = new DatabaseSync(productFile);
  const [theirs, ours] = [anonymous(product, runs.product), anonymous(hand, runs.hand)];
  product.close();
  if (theirs.length < sample.ids.length || !isDeepStrictEqual(theirs, ours))
    throw new Error("the hand-made cycle does not write the rows that the product writes");
}

/** The rows of a run with its ids replaced by the order in which they appear. */
function anonymous(db: DatabaseSync, run: string): readonly string[] {
  const tables = tablesOf(db);
  // Its position among the changes of all runs depends on what the store had before: the same column, another number.
  const rows = rowsOfRun(tables, readAll(db, tables), run).map(({ sql, columns, values }) => ({
    sql,
    values: values.filter((_, index) => !(sql.startsWith("insert into totals ") && columns[index] === "position")),
  }));
  const attempts = db
    .prepare("select id, json_extract(body, '$.token') as token from attempts where run_id = ? order by position")
    .all(run);
  const ids = [run, ...attempts.flatMap((row) => [String(row["id"]), String(row["token"])])];
  return rows
    .map((row) => ids.reduce((text, id, index) => text.replaceAll(id, `<${index}>`), JSON.stringify(row)))
    .toSorted();
}
