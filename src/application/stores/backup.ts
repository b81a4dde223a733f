// Backups. Owns: a consistent copy of the store in one file, while runs continue.

import type { BackupDocument } from "../../contracts/machine-documents.ts";
import type { Application } from "../application.ts";

export async function backUpStore(app: Application, file: string): Promise<BackupDocument> {
  return await (await app.read()).parts.store.backup(app.path(file));
}
