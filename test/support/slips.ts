// Slips of agents with git: what they do to their own tree when they mean to undo, to start over or to clean up.

/** A name, and a shell script that is run in the tree. */
export const slips: readonly (readonly [string, string])[] = [
  ["HEAD deleted", "git update-ref -d HEAD"],
  ["an orphan branch", "git checkout -q --orphan fresh"],
  ["HEAD names nothing", "git symbolic-ref HEAD refs/heads/nowhere"],
  ["a junk index", 'echo junk >"$(git rev-parse --git-path index)"'],
  ["no .git", "rm .git"],
  ["a junk .git", "echo x >.git"],
  [
    "a repository in the place of .git",
    "rm .git && git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm all",
  ],
  ["the .git of another tree", 'echo "gitdir: $(git rev-parse --path-format=absolute --git-common-dir)" >.git'],
  ["no git directory", 'rm -rf "$(git rev-parse --absolute-git-dir)"'],
  ["a git directory without HEAD", 'rm "$(git rev-parse --absolute-git-dir)/HEAD"'],
  [
    "a git directory without its links",
    'd=$(git rev-parse --absolute-git-dir) && rm "$d/commondir" "$d/gitdir" "$d/pawl.json"',
  ],
  [
    "a broken branch, and locks",
    'd=$(git rev-parse --absolute-git-dir) && echo junk >"$(git rev-parse --git-path "$(git symbolic-ref HEAD)")" && touch "$d/index.lock" "$d/HEAD.lock"',
  ],
  [
    "a branch deleted under it",
    'b=$(git symbolic-ref HEAD) && git checkout -q --detach && git update-ref -d "$b" && git symbolic-ref HEAD "$b"',
  ],
];
