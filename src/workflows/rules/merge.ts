// Merges a project's rules into the bundled table: maps key by key, everything else as a whole, and the roles of a team as a whole.
// `key: null` takes a value away.

type Data = Readonly<Record<string, unknown>>;

/** Who names the roles of a team names all of them. */
const wholes = ["team_roles"];

/** A step cannot be emptied by accident: a step that is null stays null, and is refused as such. */
export function mergeRules(base: Data, changes: Data): Data {
  return withoutNothing(merged(base, changes) as Data);
}

function merged(base: unknown, change: unknown): unknown {
  if (!isMap(base) || !isMap(change)) return change;
  const own = Object.entries(change).map(([key, value]) => [
    key,
    Object.hasOwn(base, key) && !wholes.includes(key) ? merged(base[key], value) : value,
  ]);
  return { ...base, ...Object.fromEntries(own) };
}

/** What is null has no value: at the top, in a step and below `on_fail`. */
function withoutNothing({ steps, ...rest }: Data): Data {
  const named = isMap(steps) ? Object.entries(steps).map(([name, step]) => [name, dropped(step)]) : null;
  return { ...filled(rest), steps: named ? Object.fromEntries(named) : (steps ?? {}) };
}

function dropped(step: unknown): unknown {
  if (!isMap(step)) return step;
  const values = filled(step);
  return isMap(values["on_fail"]) ? { ...values, on_fail: filled(values["on_fail"]) } : values;
}

function filled(map: Data): Data {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null));
}

export function isMap(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
