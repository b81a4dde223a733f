// What workflow files are checked against in tests: the protocols that come with Pawl.

import { knownProtocols } from "../../src/app.ts";

export const known = knownProtocols.facts;
