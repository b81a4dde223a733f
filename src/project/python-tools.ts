// Python. Owns: the commands that follow from pyproject.toml, requirements and the settings of linters.

import { type Folder, first, has } from "./folder.ts";
import { noTools, type Tools } from "./tools.ts";

export function python(folder: Folder): Tools | null {
  const isOne = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "uv.lock", "poetry.lock"];
  if (!has(folder, ...isOne)) return null;
  const told = ["pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt"]
    .map((name) => folder.text(name) ?? "")
    .join("\n");
  const says = (word: RegExp, ...files: readonly string[]) => word.test(told) || has(folder, ...files);
  const isUv = says(/^\[tool\.uv\b/m, "uv.lock");
  const manager = isUv ? "uv" : says(/^\[tool\.poetry\b/m, "poetry.lock") ? "poetry" : "pip";
  /** The first command whose condition is true. */
  const run = (...options: readonly (readonly [isTrue: boolean, command: string])[]) => {
    const command = options.find(([isTrue]) => isTrue)?.[1] ?? null;
    return manager === "pip" || command === null ? command : `${manager} run ${command}`;
  };
  const setups: Readonly<Record<string, string>> = { uv: "uv sync", poetry: "poetry install" };
  return {
    ...noTools,
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
    // Pawl does not choose where pip installs to.
    setup: setups[manager] ?? null,
    setupWhen: [first(folder, `${manager}.lock`, "pyproject.toml")].filter((name) => name !== null),
  };
}
