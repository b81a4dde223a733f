// Reads the JSON documents in rows. A row may be damaged although its file is sound: another program or a person may have changed it.

/** A row whose document cannot be read. A dialect reports it with the name of its store. */
export class BrokenDocument extends Error {
  constructor(what: string) {
    super(`${what} cannot be read`);
    this.name = "BrokenDocument";
  }
}

/** `what` names the row for people; `keys` are fields without which the document is of no use. */
export function readDocument<T extends object>(text: string, what: string, keys: readonly (keyof T & string)[]): T {
  const value = parsed(text);
  if (typeof value !== "object" || value === null || keys.some((key) => !(key in value)))
    throw new BrokenDocument(what);
  return value as T;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
