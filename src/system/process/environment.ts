// The environment of an agent. Owns: which variables of Pawl it may see. It is a list of what is allowed, because tools of an agent can
// print their environment and a list of secrets is never complete.

const basics = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "TERM", "TZ", "TMPDIR", "SHELL", "SSH_AUTH_SOCK"];
const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];
const certificates = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"];
const allowedNames = new Set([...basics, ...proxies, ...proxies.map((name) => name.toLowerCase()), ...certificates]);
const allowedPrefixes = ["LC_", "XDG_", "GIT_AUTHOR_", "GIT_COMMITTER_"];

/** There is no person at the terminal: programs must not ask, print colours or open an editor. */
const unattended = { CI: "1", NO_COLOR: "1", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true" };

/** A `git gc` that is killed with its agent leaves a lock, after which git never collects garbage in the user's repository again. */
const untidied = {
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "gc.auto",
  GIT_CONFIG_VALUE_0: "0",
  GIT_CONFIG_KEY_1: "maintenance.auto",
  GIT_CONFIG_VALUE_1: "false",
};

/** They belong to a terminal or a login, and change nothing that an agent does. */
const ofLogin = new Set(["TERM", "SSH_AUTH_SOCK", "SHELL", "USER", "LOGNAME", "TMPDIR"]);
const ofLoginPrefixes = ["LC_", "XDG_"];

/** The names of those that every agent may see and that can change what it does. */
export function outsideVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(allowedEnvironment(env, [])).filter((name) => {
    const isOurs = Object.hasOwn(unattended, name) || Object.hasOwn(untidied, name);
    return !isOurs && !ofLogin.has(name) && !ofLoginPrefixes.some((prefix) => name.startsWith(prefix));
  });
}

/** `allow` has exact names, not patterns. */
export function allowedEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  allow: readonly string[],
): Record<string, string> {
  const isAllowed = (name: string) =>
    allowedNames.has(name) || allow.includes(name) || allowedPrefixes.some((prefix) => name.startsWith(prefix));
  const passed = Object.entries(parent).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    return value !== undefined && isAllowed(name);
  });
  // An agent that is allowed a configuration of its own keeps it.
  const own = passed.some(([name]) => name === "GIT_CONFIG_COUNT") ? {} : untidied;
  return { ...Object.fromEntries(passed), ...unattended, ...own };
}
