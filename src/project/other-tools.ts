// Tools of other languages, and make. Owns: the commands that follow from their manifests.

import { type Folder, first, has, objectIn, objectOf } from "./folder.ts";
import { makeTools, noTools, type Tools } from "./tools.ts";

export function rust(folder: Folder): Tools | null {
  if (!has(folder, "Cargo.toml")) return null;
  const lint = "cargo clippy --all-targets -- -D warnings";
  return { ...noTools, manager: "cargo", languages: ["Rust"], test: "cargo test", lint };
}

export function go(folder: Folder): Tools | null {
  if (!has(folder, "go.mod", "go.work")) return null;
  const hasLinter = has(folder, ".golangci.yml", ".golangci.yaml", ".golangci.toml");
  const lint = hasLinter ? "golangci-lint run" : "go vet ./...";
  return { ...noTools, manager: "go", languages: ["Go"], test: "go test ./...", lint };
}

export function maven(folder: Folder): Tools | null {
  if (!has(folder, "pom.xml")) return null;
  const test = `${has(folder, "mvnw") ? "./mvnw" : "mvn"} test`;
  return { ...noTools, manager: "maven", languages: ["Java", "Kotlin"], test };
}

export function gradle(folder: Folder): Tools | null {
  if (!has(folder, "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")) return null;
  const test = `${has(folder, "gradlew") ? "./gradlew" : "gradle"} test`;
  return { ...noTools, manager: "gradle", languages: ["Java", "Kotlin"], test };
}

export function dotnet({ names }: Folder): Tools | null {
  if (![...names].some((name) => /\.(?:slnx?|[cf]sproj)$/.test(name))) return null;
  const lint = "dotnet format --verify-no-changes";
  return { ...noTools, manager: "dotnet", languages: ["C#", "F#"], test: "dotnet test", lint, setup: "dotnet restore" };
}

export function ruby(folder: Folder): Tools | null {
  const gems = folder.text("Gemfile");
  if (gems === null) return null;
  const rake = has(folder, "Rakefile") ? "bundle exec rake test" : null;
  return {
    ...noTools,
    manager: "bundler",
    languages: ["Ruby"],
    test: has(folder, ".rspec") || /\brspec\b/.test(gems) ? "bundle exec rspec" : rake,
    lint: has(folder, ".rubocop.yml") ? "bundle exec rubocop" : null,
    setup: "bundle install",
    setupWhen: [first(folder, "Gemfile.lock") ?? "Gemfile"],
  };
}

export function php(folder: Folder): Tools | null {
  const text = folder.text("composer.json");
  if (text === null) return null;
  const scripts = objectOf(objectIn(text)?.["scripts"]);
  const isScript = (name: string) => typeof scripts[name] === "string" || Array.isArray(scripts[name]);
  const unit = has(folder, "phpunit.xml", "phpunit.xml.dist") ? "vendor/bin/phpunit" : null;
  return {
    ...noTools,
    manager: "composer",
    languages: ["PHP"],
    test: isScript("test") ? "composer run test" : unit,
    lint: isScript("lint") ? "composer run lint" : null,
    types: has(folder, "phpstan.neon", "phpstan.neon.dist") ? "vendor/bin/phpstan analyse" : null,
    setup: "composer install",
    setupWhen: [first(folder, "composer.lock") ?? "composer.json"],
  };
}

export function elixir(folder: Folder): Tools | null {
  if (!has(folder, "mix.exs")) return null;
  const format = has(folder, ".formatter.exs") ? "mix format --check-formatted" : null;
  return {
    ...noTools,
    manager: "mix",
    languages: ["Elixir"],
    test: "mix test",
    lint: has(folder, ".credo.exs") ? "mix credo" : format,
    setup: "mix deps.get",
    setupWhen: [first(folder, "mix.lock") ?? "mix.exs"],
  };
}

export function make(folder: Folder): Tools | null {
  const text = folder.text(first(folder, "GNUmakefile", "makefile", "Makefile") ?? "Makefile");
  if (text === null) return null;
  const target = (...names: readonly string[]) => {
    const found = names.find((name) => new RegExp(`^${name}\\s*::?(?!=)`, "m").test(text));
    return found === undefined ? null : `make ${found}`;
  };
  return {
    ...noTools,
    manager: makeTools,
    languages: [],
    isOwn: true,
    test: target("test", "check"),
    lint: target("lint"),
    types: target("typecheck", "types"),
  };
}
