// Finds the model, the effort or the mode that is wanted among those that an agent offers, and the request that chooses it. The
// protocol has changed here: newer agents offer options, older ones lists of models and modes.

import { fieldsOf, listOf, nameOf, textOf } from "../stream/fields.ts";

export type Topic = "model" | "effort" | "mode";

export type SettingChoice =
  | { readonly kind: "request"; readonly method: string; readonly params: Readonly<Record<string, string>> }
  /** It is the current choice already. */
  | { readonly kind: "chosen" }
  /** The agent offers no choice. */
  | { readonly kind: "none" }
  | { readonly kind: "unknown"; readonly offered: readonly string[] };

interface Offer {
  readonly values: readonly { readonly value: string; readonly name: string }[];
  readonly current: string | null;
  readonly method: string;
  request(value: string): Readonly<Record<string, string>>;
}

/** The categories by which the protocol sorts options. */
const categories: Readonly<Record<Topic, string>> = { model: "model", effort: "thought_level", mode: "mode" };

/** `session`: the answer to `session/new`, `session/load` or `session/resume`. */
export function choiceOf(topic: Topic, wanted: string, session: unknown): SettingChoice {
  const offer = optionFor(topic, session) ?? listFor(topic, session);
  if (offer === null) return { kind: "none" };
  const found =
    offer.values.find(({ value }) => value === wanted) ??
    offer.values.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found === undefined) return { kind: "unknown", offered: offer.values.map(({ value }) => value) };
  if (found.value === offer.current) return { kind: "chosen" };
  return { kind: "request", method: offer.method, params: offer.request(found.value) };
}

function optionFor(topic: Topic, session: unknown): Offer | null {
  const options = listOf(fieldsOf(session)["configOptions"]).map(fieldsOf);
  const isAbout = (key: "category" | "id") =>
    options.find((option) => option["type"] !== "boolean" && option[key] === categories[topic]);
  const option = isAbout("category") ?? isAbout("id");
  const configId = nameOf(option?.["id"]);
  if (option === undefined || configId === null) return null;
  // Options may be grouped.
  const values = listOf(option["options"])
    .map(fieldsOf)
    .flatMap((entry) => (Array.isArray(entry["options"]) ? listOf(entry["options"]).map(fieldsOf) : [entry]));
  return {
    values: values.map((entry) => ({ value: textOf(entry["value"]), name: textOf(entry["name"]) })),
    current: nameOf(option["currentValue"]),
    method: "session/set_config_option",
    request: (value) => ({ configId, value }),
  };
}

const lists: Readonly<Partial<Record<Topic, readonly [list: string, all: string, id: string, current: string]>>> = {
  model: ["models", "availableModels", "modelId", "currentModelId"],
  mode: ["modes", "availableModes", "id", "currentModeId"],
};

function listFor(topic: Topic, session: unknown): Offer | null {
  const names = lists[topic];
  if (names === undefined) return null;
  const [list, all, id, current] = names;
  const told = fieldsOf(fieldsOf(session)[list]);
  const values = listOf(told[all]).map(fieldsOf);
  if (values.length === 0) return null;
  return {
    values: values.map((entry) => ({ value: textOf(entry[id]), name: textOf(entry["name"]) })),
    current: nameOf(told[current]),
    method: `session/set_${topic}`,
    request: (value) => ({ [`${topic}Id`]: value }),
  };
}
