// The environment of an agent. Owns: which variables of ours it may see. A list of what is allowed, since an agent's
// tools can print their environment, and a list of what is secret is never complete.

const basics = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "TERM", "TZ", "TMPDIR", "SHELL", "SSH_AUTH_SOCK"];
const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];
const certificates = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"];
const allowedNames = new Set([...basics, ...proxies, ...proxies.map((name) => name.toLowerCase()), ...certificates]);
const allowedPrefixes = ["LC_", "XDG_", "GIT_AUTHOR_", "GIT_COMMITTER_"];

/** Nobody sits at the terminal: nothing may ask, colour or open an editor. */
const unattended = { CI: "1", NO_COLOR: "1", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true" };

/** A git that tidies up and is killed with its agent leaves a lock, after which the user's repository is never tidied again. */
const untidied = {
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "gc.auto",
  GIT_CONFIG_VALUE_0: "0",
  GIT_CONFIG_KEY_1: "maintenance.auto",
  GIT_CONFIG_VALUE_1: "false",
};

/** `allow` holds exact names; a pattern in it matches nothing. */
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
  // Who is allowed a configuration of his own keeps it.
  const own = passed.some(([name]) => name === "GIT_CONFIG_COUNT") ? {} : untidied;
  return { ...Object.fromEntries(passed), ...unattended, ...own };
}
