// The plan of the chaos with stories: a PRD of twelve stories, some of which conflict; the project that they change, with its tests;
// and what the base must contain at the end.

export interface PlannedStory {
  readonly id: string;
  readonly title: string;
  readonly after: readonly string[];
}

/**
 * A diamond (002 and 003 depend on 001, 004 on both) in which both sides take the same number: each passes its tests alone and fails
 * together with the other. Two pairs change the same line: 005 and 006 from the start, 007 and 008 later. 011 and 012 need the results.
 */
export const stories: readonly PlannedStory[] = [
  { id: "US-001", title: "Come first", after: [] },
  { id: "US-002", title: "Be one side of the diamond", after: ["US-001"] },
  { id: "US-003", title: "Be the other side", after: ["US-001"] },
  { id: "US-004", title: "Close the diamond", after: ["US-002", "US-003"] },
  { id: "US-005", title: "Change a line", after: [] },
  { id: "US-006", title: "Change the same line", after: [] },
  { id: "US-007", title: "Change another line", after: ["US-001"] },
  { id: "US-008", title: "Change that one too", after: ["US-001"] },
  { id: "US-009", title: "Leave a process behind", after: [] },
  { id: "US-010", title: "Leave a session behind", after: [] },
  { id: "US-011", title: "Need both sides of a conflict", after: ["US-007", "US-008"] },
  { id: "US-012", title: "Need nearly all stories", after: ["US-004", "US-006"] },
];

/** Which story changes which line. */
const pairs: Readonly<Record<string, readonly string[]>> = { a: ["US-005", "US-006"], b: ["US-007", "US-008"] };
const numbered = ["US-002", "US-003"];

export const subjectOf = ({ id, title }: PlannedStory) => `feat(ralph): ${id} - ${title}`;

/** Files that each story adds: enough that a kill sometimes interrupts a checkout. */
const added = 25;
/** Files that no story touches, so that making a tree takes some time. */
const still = 150;

export const prd = `${JSON.stringify(
  {
    title: "Chaos",
    userStories: stories.map(({ id, title, after }) => ({
      id,
      title,
      description: "As the title says.",
      acceptanceCriteria: ["its files exist"],
      depends_on: after,
      passes: false,
    })),
  },
  null,
  2,
)}\n`;

/** The text of the finished PRD: nothing else in it may have changed. */
export const passedPrd = prd.replaceAll('"passes": false', '"passes": true');

type Files = Readonly<Record<string, string>>;

/** The project before the run. */
export function projectFiles(): Files {
  return {
    "README.md": "# a project\n",
    ".gitignore": "*.ignored\n",
    "test.sh": tests,
    ...Object.fromEntries(Object.keys(pairs).map((name) => [`lines/${name}.txt`, "open\n"])),
    ...Object.fromEntries(stories.map(({ id }) => [`lib/${id}.txt`, `${id} draft\n`])),
    ...Object.fromEntries(stories.map(({ id }) => [`old/${id}.txt`, `${id} goes\n`])),
    ...Object.fromEntries(Array.from({ length: still }, (_, index) => [`still/${index}.txt`, `${index}\n`.repeat(40)])),
  };
}

/** Whether these files are the result of those, whichever story of a pair came first. */
export function isFinished(files: Files, before: Files): boolean {
  const expected = new Map(Object.entries(before).filter(([name]) => !name.startsWith("old/")));
  for (const { id } of stories) {
    expected.set(`lib/${id}.txt`, `${id} final\n`);
    expected.set(`notes/${id}.txt`, `${id} noted\n`);
    expected.set(`notes/${id}.more`, `${id}\n`);
    for (let file = 1; file <= added; file += 1) expected.set(`work/${id}/${file}.txt`, `${id} ${file}\n`);
  }
  for (const [name, [one, other]] of Object.entries(pairs)) {
    const line = files[`lines/${name}.txt`] ?? "";
    if (line !== `${one} ${other}\n` && line !== `${other} ${one}\n`) return false;
    expected.set(`lines/${name}.txt`, line);
  }
  const numbers = numbered.map((id) => files[`numbers/${id}`] ?? "");
  if (numbers.toSorted().join("") !== "1\n2\n") return false;
  numbered.forEach((id, index) => void expected.set(`numbers/${id}`, numbers[index] ?? ""));
  const names = Object.keys(files);
  return names.length === expected.size && names.every((name) => files[name] === expected.get(name));
}

const cases = (arms: readonly (readonly [string, string])[]) =>
  arms.map(([id, text]) => `${id}) ${text} ;;`).join("\n");

// Every commit of the base is tested with its own copy of this. It starts no process, because it runs many times.
const tests = `set -eu
fail() { echo "red: $1"; exit 1; }
is_there() { [ -d "work/$1" ]; }
for file in lib/*; do
  id=\${file#lib/}; id=\${id%.txt}
  read -r line < "$file"
  if is_there "$id"; then
    [ "$line" = "$id final" ] || fail "$file says $line"
    [ ! -e "old/$id.txt" ] || fail "old/$id.txt is still there"
    set -- "work/$id"/*
    [ $# -eq ${added} ] || fail "$id has $# files"
    after=
    case $id in
${cases(stories.map(({ id, after }) => [id, `after="${after.join(" ")}"`]))}
    esac
    for other in $after; do is_there "$other" || fail "$id is there without $other"; done
  else
    [ "$line" = "$id draft" ] || fail "$file says $line"
    [ -e "old/$id.txt" ] || fail "old/$id.txt is gone"
  fi
done
for name in ${Object.keys(pairs).join(" ")}; do
  read -r line < "lines/$name.txt"
  set -- "" $line
  case $name in
${cases(Object.entries(pairs).map(([name, ids]) => [name, `pair="${ids.join(" ")}"`]))}
  esac
  expected=0
  for id in $pair; do
    is_there "$id" || continue
    expected=$((expected + 1))
    case " $line " in *" $id "*) ;; *) fail "$name has no $id: $line" ;; esac
  done
  [ $expected -eq 0 ] || [ $(($# - 1)) -eq $expected ] || fail "line $name: $line"
done
seen=" "
for id in ${numbered.join(" ")}; do
  [ -e "numbers/$id" ] || continue
  read -r number < "numbers/$id"
  case $seen in *" $number "*) fail "two have the number $number" ;; esac
  seen="$seen$number "
done
`;

/**
 * The agent of every step: \`sh act.sh SCENE\`, with the prompt on stdin. It logs everything it does, with the attempt and the tree,
 * before and after. It reads what to do from the tree, never from the number of the attempt.
 */
export const actions = `set -eu
scene=$1
note() { echo "$1 $PAWL_ATTEMPT_ID $PWD $PAWL_STORY $PAWL_STEP_TYPE" >> "$scene/audit.log"; }
chance=$(printf %s "$PAWL_ATTEMPT_ID" | cksum)
chance=\${chance%% *}
pause() { sleep "0.0$((2 + chance % 7))"; }
commit() { git -c user.name=Agent -c user.email=agent@example.invalid commit --quiet --message="$1"; }
id=$PAWL_STORY
case $id in
${cases(Object.entries(pairs).flatMap(([name, ids]) => ids.map((id) => [id, `pair=${name}`])))}
*) pair= ;;
esac
write_line() { if [ "$1" = open ]; then echo "$id"; else echo "$1 $id"; fi > "lines/$pair.txt"; }
write_number() {
  mkdir -p numbers
  number=1
  for file in numbers/*; do
    [ -e "$file" ] && [ "$file" != "numbers/$id" ] || continue
    read -r other < "$file"
    [ "$other" -lt $number ] || number=$((other + 1))
  done
  echo $number > "numbers/$id"
}
note begin
case $PAWL_STEP_TYPE in
planning)
  mkdir -p "$PAWL_SHARED/workflow_edits"
  comma='['
  { for step in 003 004 007 008 009; do
    printf '%s{"operation":"skip","target_step_id":"step-%s","reason":"too small for it"}' "$comma" $step
    comma=,
  done; echo ']'; } > "$PAWL_SHARED/workflow_edits/$id.json"
  note edits
  pause
  ;;
coding)
  pause
  note work
  echo "$id final" > "lib/$id.txt"
  git rm --quiet "old/$id.txt"
  git add --all
  commit "$id, a part"
  # Longer than it takes to start another driver, which must not continue here meanwhile.
  if [ $((chance % 6)) -eq 0 ]; then sleep 1.2; fi
  note work
  mkdir -p "work/$id"
  file=0
  while [ $file -lt ${added} ]; do file=$((file + 1)); echo "$id $file" > "work/$id/$file.txt"; done
  if [ -n "$pair" ]; then read -r line < "lines/$pair.txt"; write_line "$line"; fi
  case $id in ${numbered.join(" | ")}) write_number ;; esac
  pause
  git add --all
  commit "$id, the rest"
  case $id in
  US-009) sleep 600 & ;;
  US-010) (setsid sh -c 'sleep 2.5; echo late > late.txt; exec sleep 600' > /dev/null 2>&1 &) ;;
  esac
  ;;
rebase_resolve)
  cat > "$scene/resolve.$PAWL_ATTEMPT_ID"
  # Where the stories that are done already may be and the base is not.
  onto=$(grep -oE '(which is at |On top of main \\()[0-9a-f]{12}' "$scene/resolve.$PAWL_ATTEMPT_ID" | tail -1 | grep -oE '[0-9a-f]{12}')
  rm "$scene/resolve.$PAWL_ATTEMPT_ID"
  if git merge-base --is-ancestor "$onto" main; then onto=main; fi
  note work
  export GIT_COMMITTER_NAME=Agent GIT_COMMITTER_EMAIL=agent@example.invalid
  if ! git rebase --quiet "$onto" > /dev/null 2>&1; then
    pause
    line=$(git show ":2:lines/$pair.txt")
    write_line "$line"
    git add --all
    git rebase --continue > /dev/null
  fi
  case $id in ${numbered.join(" | ")})
    write_number
    git add --all
    git diff --cached --quiet || commit "$id with a number of its own"
    ;;
  esac
  ;;
linting)
  # Staged, changed again, and not even known to git: what the next step begins with is all of it.
  mkdir -p notes
  echo half > "notes/$id.txt"
  git add "notes/$id.txt"
  echo "$id noted" > "notes/$id.txt"
  note work
  pause
  echo "$id" > "notes/$id.more"
  ;;
final_review)
  status=$(git status --porcelain)
  if [ "$status" = "AM notes/$id.txt
?? notes/$id.more" ]; then
    git add --all
    commit "$id, with notes"
    status=
  fi
  if [ -n "$status" ] || [ ! -e "work/$id/${added}.txt" ] || [ "$(cat "notes/$id.txt" "notes/$id.more")" != "$id noted
$id" ]; then
    echo "the tree is not as $id left it: $status" >&2
    exit 1
  fi
  ;;
esac
cat > /dev/null
note end
echo SUMMARY
echo "$PAWL_STEP_TYPE of $id is done."
echo "STATUS: done"
`;

/** \`--test\`: logs where it runs, so that the campaign knows when; in an integration, HEAD is detached. */
export const check = `set -eu
scene=$1
read -r _ dir < .git
read -r head < "$dir/HEAD"
case $head in ref:*) on=branch ;; *) on=detached ;; esac
note() { echo "$1 $PAWL_ATTEMPT_ID $PWD $on check" >> "$scene/audit.log"; }
note check
sleep 0.04
sh test.sh
note green
`;
