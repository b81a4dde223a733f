// Runs with every test file: properties choose by the seed that is fixed, if one is.

import fc from "fast-check";
import { fixedSeed } from "./seed.ts";

if (fixedSeed !== null) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: fixedSeed });
