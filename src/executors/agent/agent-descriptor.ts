// What Pawl knows about an agent before it loads the agent's profile. Every command loads these, so an agent's descriptor is plain
// data: it imports nothing but types.

/** The configuration refuses a setting that the agent cannot follow, instead of ignoring it later. */
interface Abilities {
  /** It has levels of reasoning effort. */
  readonly effort: boolean;
  /** It reports its cost, so that a limit in USD has an effect. */
  readonly money: boolean;
  /** It can be kept from writing without a sandbox. */
  readonly readOnly: boolean;
  /** It can run without the user's own settings and with the user's login. */
  readonly isolation: boolean;
}

/** How a person opens a session with the agent's own command. */
interface SessionCommand {
  /** The arguments behind the program. */
  args(session: string): readonly string[];
  /** The variable that names the home in which Pawl has the agent keep its sessions; null: they are in the user's own home. */
  readonly home: { readonly variable: string; readonly when: "always" | "isolated" } | null;
  /** An isolated call keeps its sessions where the agent's own command does not find them. */
  readonly hiddenWhenIsolated?: boolean;
}

export interface AgentDescriptor {
  /** Also the name of its program, of its executor without configuration, and of its account. */
  readonly kind: string;
  /** The name that its maker uses. */
  readonly title: string;
  /** The oldest version that takes our arguments and prints events that our reader knows. */
  readonly oldest: string;
  readonly can: Abilities;
  /** Null: its sessions are not kept, or cannot be opened by their id. */
  readonly openSession: SessionCommand | null;
  /** Its server for the Agent Client Protocol, which is not always the same program; null: it has none. */
  readonly acp: { readonly program: string; readonly tellsCost: boolean } | null;
  /** It confines itself more than Pawl's sandbox would, and gives that up inside of one. */
  readonly hasSandbox?: boolean;
  /** It reports tokens, and neither their cost nor its model: without a configured model nobody knows what it costs. */
  readonly hidesCost?: boolean;
  /** A model to show in the example of a configuration. */
  readonly exampleModel?: string;
}
