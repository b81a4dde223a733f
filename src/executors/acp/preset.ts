// What an agent's profile says about its server for the Agent Client Protocol: how it is started and how it is kept asking. An agent
// that Pawl does not know is a command line without a preset.

/** What it may do: only read; ask for everything else; or everything without asking. */
export type AcpRight = "reading" | "asking" | "free";

export interface AcpPreset {
  /** Arguments of the descriptor's `acp.program`. */
  readonly args: readonly string[];
  /** Whether it asks before it writes. One that does not cannot be kept from writing. */
  readonly asks: boolean;
  /** Session modes to choose. */
  readonly modes?: Readonly<Partial<Record<AcpRight, string>>>;
  /** Where the server is another program: its title, and how to install it. */
  readonly title?: string;
  readonly install?: string;
  /** Variables that it sees beside the profile's `keys`. */
  readonly keys?: readonly string[];
  /** `commands`: what it may run although it may only read. */
  env?(right: AcpRight, commands: readonly string[]): Readonly<Record<string, string>>;
}
