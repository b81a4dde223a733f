// The readers of test results, by form.

import type { ResultForm } from "../domain/check.ts";
import { goJsonReader } from "./go-json.ts";
import { jestReader } from "./jest.ts";
import { junitReader } from "./junit.ts";
import type { ResultReader } from "./result.ts";
import { tapReader } from "./tap.ts";

const readers: Readonly<Record<ResultForm, () => ResultReader>> = {
  "go-json": goJsonReader,
  tap: tapReader,
  junit: junitReader,
  vitest: jestReader,
  jest: jestReader,
};

export function resultReader(form: ResultForm): ResultReader {
  return readers[form]();
}
