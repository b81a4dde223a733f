// Documents of the API as the page reads them.

import type { StatusDocument } from "../../contracts/run-documents.ts";

export type OneRun = StatusDocument;
