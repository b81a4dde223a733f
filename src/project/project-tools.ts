// The tools of a project. Owns: which tools its files speak of, and the commands that follow: to test it, to lint it, to make a
// fresh tree ready. A command is made of our own words alone: of what a file says, nothing is taken over and nothing is run.

/** The files of one directory, as far as they may be looked at. */
export interface Folder {
  readonly names: ReadonlySet<string>;
  /** Null: there is no such file, or it is too large to be what its name says. */
  text(name: string): string | null;
}

export interface Tools {
  /** What installs its packages: `npm`, `uv`, `cargo`. */
  readonly manager: string;
  readonly languages: readonly string[];
  /** The project has written these commands itself, as scripts or targets; else they are what everybody uses. */
  readonly isOwn: boolean;
  readonly test: string | null;
  readonly lint: string | null;
  readonly types: string | null;
  /** What a fresh tree needs, and the files whose change makes it necessary again. */
  readonly setup: string | null;
  readonly setupWhen: readonly string[];
  readonly notes: readonly string[];
}

export const makeTools = "make";

export function toolsIn(folder: Folder): readonly Tools[] {
  return finders.flatMap((find) => find(folder) ?? []);
}

const plain = { isOwn: false, test: null, lint: null, types: null, setup: null, setupWhen: [], notes: [] };

/** The first of the names that is there. */
function first({ names }: Folder, ...wanted: readonly string[]): string | null {
  return wanted.find((name) => names.has(name)) ?? null;
}

const has = (folder: Folder, ...wanted: readonly string[]) => first(folder, ...wanted) !== null;

function javascript(folder: Folder): Tools | null {
  const text = folder.text("package.json");
  if (text === null) return null;
  const manifest = objectIn(text);
  const manager = managerOf(folder, manifest);
  const tools = { ...plain, manager, languages: ["TypeScript", "JavaScript"], isOwn: true };
  if (manifest === null) return { ...tools, notes: ["package.json is no JSON object: its scripts are not known"] };
  const scripts = fieldsOf(manifest["scripts"]);
  const test = scripts["test"];
  const watches = typeof test === "string" && /--watch(?:All)?(?![\w-]*=false)\b/.test(test);
  const isReal = typeof test === "string" && test.trim() !== "" && !test.includes("no test specified");
  const lock = first(folder, ...(lockfiles[manager] ?? []));
  return {
    ...tools,
    // `bun test` would be Bun's own runner and not the script.
    test: isReal && !watches ? (manager === "bun" ? "bun run test" : `${manager} test`) : null,
    lint: scriptCalled(scripts, manager, ["lint"]),
    types: scriptCalled(scripts, manager, ["typecheck", "type-check", "check-types", "types"]),
    setup: needsPackages(manifest) || lock !== null ? installWith(manager, lock, isBerry(folder, manifest)) : null,
    setupWhen: [lock ?? "package.json"],
    notes: watches ? ["the test script of package.json watches and never ends: no test command was taken from it"] : [],
  };
}

const lockfiles: Readonly<Record<string, readonly string[]>> = {
  bun: ["bun.lock", "bun.lockb"],
  pnpm: ["pnpm-lock.yaml"],
  yarn: ["yarn.lock"],
  npm: ["package-lock.json", "npm-shrinkwrap.json"],
};

/** What the manifest names, else whose lockfile is there. */
function managerOf(folder: Folder, manifest: Fields | null): string {
  const named = namedManager(manifest).split("@", 1)[0] ?? "";
  if (Object.hasOwn(lockfiles, named)) return named;
  return Object.keys(lockfiles).find((manager) => has(folder, ...(lockfiles[manager] ?? []))) ?? "npm";
}

function isBerry(folder: Folder, manifest: Fields): boolean {
  return has(folder, ".yarnrc.yml") || /^yarn@[2-9]/.test(namedManager(manifest));
}

/** `pnpm@9.1.0`. */
function namedManager(manifest: Fields | null): string {
  const named = manifest?.["packageManager"];
  return typeof named === "string" ? named : "";
}

function installWith(manager: string, lock: string | null, isBerry: boolean): string {
  if (lock === null) return `${manager} install`;
  if (manager === "npm") return "npm ci";
  return `${manager} install ${isBerry && manager === "yarn" ? "--immutable" : "--frozen-lockfile"}`;
}

function needsPackages(manifest: Fields): boolean {
  const kinds = ["dependencies", "devDependencies", "optionalDependencies"];
  return manifest["workspaces"] !== undefined || kinds.some((kind) => Object.keys(fieldsOf(manifest[kind])).length > 0);
}

function scriptCalled(scripts: Fields, manager: string, names: readonly string[]): string | null {
  const found = names.find((name) => typeof scripts[name] === "string" && scripts[name].trim() !== "");
  return found === undefined ? null : `${manager} run ${found}`;
}

function python(folder: Folder): Tools | null {
  const isOne = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "uv.lock", "poetry.lock"];
  if (!has(folder, ...isOne)) return null;
  const told = ["pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt"]
    .map((name) => folder.text(name) ?? "")
    .join("\n");
  const says = (word: RegExp, ...files: readonly string[]) => word.test(told) || has(folder, ...files);
  const isUv = says(/^\[tool\.uv\b/m, "uv.lock");
  const manager = isUv ? "uv" : says(/^\[tool\.poetry\b/m, "poetry.lock") ? "poetry" : "pip";
  /** Of those that are true, the first. */
  const run = (...options: readonly (readonly [isTrue: boolean, command: string])[]) => {
    const command = options.find(([isTrue]) => isTrue)?.[1] ?? null;
    return manager === "pip" || command === null ? command : `${manager} run ${command}`;
  };
  const setups: Readonly<Record<string, string>> = { uv: "uv sync", poetry: "poetry install" };
  return {
    ...plain,
    manager,
    languages: ["Python"],
    test: run([says(/\bpytest\b/, "pytest.ini", "conftest.py"), manager === "pip" ? "python3 -m pytest" : "pytest"]),
    lint: run(
      [says(/\bruff\b/, "ruff.toml", ".ruff.toml"), "ruff check ."],
      [says(/\bflake8\b/, ".flake8"), "flake8"],
      [has(folder, ".pre-commit-config.yaml"), "pre-commit run --all-files"],
    ),
    types: run(
      [says(/^\[(?:tool\.)?mypy\b/m, "mypy.ini", ".mypy.ini"), "mypy ."],
      [says(/^\[tool\.pyright\b/m, "pyrightconfig.json"), "pyright"],
    ),
    // Where pip alone would install to is the user's affair.
    setup: setups[manager] ?? null,
    setupWhen: [first(folder, `${manager}.lock`, "pyproject.toml")].filter((name) => name !== null),
  };
}

function rust(folder: Folder): Tools | null {
  if (!has(folder, "Cargo.toml")) return null;
  const lint = "cargo clippy --all-targets -- -D warnings";
  return { ...plain, manager: "cargo", languages: ["Rust"], test: "cargo test", lint };
}

function go(folder: Folder): Tools | null {
  if (!has(folder, "go.mod", "go.work")) return null;
  const hasLinter = has(folder, ".golangci.yml", ".golangci.yaml", ".golangci.toml");
  const lint = hasLinter ? "golangci-lint run" : "go vet ./...";
  return { ...plain, manager: "go", languages: ["Go"], test: "go test ./...", lint };
}

function maven(folder: Folder): Tools | null {
  if (!has(folder, "pom.xml")) return null;
  const test = `${has(folder, "mvnw") ? "./mvnw" : "mvn"} test`;
  return { ...plain, manager: "maven", languages: ["Java", "Kotlin"], test };
}

function gradle(folder: Folder): Tools | null {
  if (!has(folder, "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")) return null;
  const test = `${has(folder, "gradlew") ? "./gradlew" : "gradle"} test`;
  return { ...plain, manager: "gradle", languages: ["Java", "Kotlin"], test };
}

function dotnet({ names }: Folder): Tools | null {
  if (![...names].some((name) => /\.(?:slnx?|[cf]sproj)$/.test(name))) return null;
  const lint = "dotnet format --verify-no-changes";
  return { ...plain, manager: "dotnet", languages: ["C#", "F#"], test: "dotnet test", lint, setup: "dotnet restore" };
}

function ruby(folder: Folder): Tools | null {
  const gems = folder.text("Gemfile");
  if (gems === null) return null;
  const rake = has(folder, "Rakefile") ? "bundle exec rake test" : null;
  return {
    ...plain,
    manager: "bundler",
    languages: ["Ruby"],
    test: has(folder, ".rspec") || /\brspec\b/.test(gems) ? "bundle exec rspec" : rake,
    lint: has(folder, ".rubocop.yml") ? "bundle exec rubocop" : null,
    setup: "bundle install",
    setupWhen: [first(folder, "Gemfile.lock") ?? "Gemfile"],
  };
}

function php(folder: Folder): Tools | null {
  const text = folder.text("composer.json");
  if (text === null) return null;
  const scripts = fieldsOf(objectIn(text)?.["scripts"]);
  const isScript = (name: string) => typeof scripts[name] === "string" || Array.isArray(scripts[name]);
  const unit = has(folder, "phpunit.xml", "phpunit.xml.dist") ? "vendor/bin/phpunit" : null;
  return {
    ...plain,
    manager: "composer",
    languages: ["PHP"],
    test: isScript("test") ? "composer run test" : unit,
    lint: isScript("lint") ? "composer run lint" : null,
    types: has(folder, "phpstan.neon", "phpstan.neon.dist") ? "vendor/bin/phpstan analyse" : null,
    setup: "composer install",
    setupWhen: [first(folder, "composer.lock") ?? "composer.json"],
  };
}

function elixir(folder: Folder): Tools | null {
  if (!has(folder, "mix.exs")) return null;
  const format = has(folder, ".formatter.exs") ? "mix format --check-formatted" : null;
  return {
    ...plain,
    manager: "mix",
    languages: ["Elixir"],
    test: "mix test",
    lint: has(folder, ".credo.exs") ? "mix credo" : format,
    setup: "mix deps.get",
    setupWhen: [first(folder, "mix.lock") ?? "mix.exs"],
  };
}

function make(folder: Folder): Tools | null {
  const text = folder.text(first(folder, "GNUmakefile", "makefile", "Makefile") ?? "Makefile");
  if (text === null) return null;
  const target = (...names: readonly string[]) => {
    const found = names.find((name) => new RegExp(`^${name}\\s*::?(?!=)`, "m").test(text));
    return found === undefined ? null : `make ${found}`;
  };
  return {
    ...plain,
    manager: makeTools,
    languages: [],
    isOwn: true,
    test: target("test", "check"),
    lint: target("lint"),
    types: target("typecheck", "types"),
  };
}

const finders = [javascript, python, rust, go, maven, gradle, dotnet, ruby, php, elixir, make];

type Fields = Readonly<Record<string, unknown>>;

function objectIn(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
