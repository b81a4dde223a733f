// The work of a campaign with workers: a workflow with stories in parallel, its agents, and what a run of it leaves on the base. Every
// step is performed once unless something dies, so that a second result of a step can only be a defect.

/** The stories of every run. */
export const stories = ["US-1", "US-2", "US-3"] as const;

/** Steps of a run, and of each story: each has one attempt that completes. */
export const runSteps = ["plan", "report"] as const;
export const storySteps = ["work", "look", "land"] as const;

/** Of the commit of a story on the base. */
export const subjectOf = (run: string, story: string) => `feat: ${story} - of ${run}`;

/** Each attempt has a file of its own, so that the base shows whose work it has. */
export const fileOf = (run: string, story: string, attempt: string) => `work/${run}/${story}/${attempt}`;

/** `far`: only guests begin its stories. */
export type Kind = "near" | "far";

/** The label of guests. */
export const guestLabel = "far";

export const workflowOf = (kind: Kind) => `pawl: 1
id: faults
caps: { lost: 1000 }
workspace: { on_failure: reset }
agents: { worker: {} }
steps:
  - { id: plan, agent: worker, input: "Plan. Reply with STATUS: done" }
  - id: all
    stories: { workspace: worktree, concurrency: 2 }
    body:
      - { id: work, agent: worker, input: "{{current_story}} Reply with STATUS: done"${kind === "far" ? `, labels: [${guestLabel}]` : ""} }
      - { id: look, agent: worker, input: "Look at it. Reply with STATUS: done" }
      - { id: land, integrate: { message: "feat: {{story}} - {{title}}" } }
  - { id: report, agent: worker, input: "Report. Reply with STATUS: done" }
`;

/**
 * \`sh act.sh SCENE\`, with the prompt on stdin. It logs everything that it does, with its attempt and its tree. How long it takes depends
 * on its attempt, and one for which there is a file \`hold.ATTEMPT\` works until that is gone: it would still be at work when its worker
 * has long lost it.
 */
export const actions = `set -eu
scene=$1
cat > /dev/null
note() { echo "$1 $PAWL_ATTEMPT_ID $PWD $PAWL_RUN \${PAWL_STORY:--} $PAWL_STEP" >> "$scene/audit.log"; }
chance=$(printf %s "$PAWL_ATTEMPT_ID" | cksum)
chance=\${chance%% *}
pause() { sleep "0.$(printf %02d $((2 + chance % 30)))"; }
commit() { git -c user.name=Agent -c user.email=agent@example.invalid commit --quiet --message="$1"; }
note begin
pause
case $PAWL_STEP in
plan)
  echo "STORIES_JSON: [${stories
    .map(
      (id) =>
        `{\\"id\\":\\"${id}\\",\\"title\\":\\"of $PAWL_RUN\\",\\"description\\":\\"d\\",\\"acceptanceCriteria\\":[\\"c\\"]}`,
    )
    .join(",")}]"
  ;;
work)
  mkdir -p "work/$PAWL_RUN/$PAWL_STORY"
  echo half > "work/$PAWL_RUN/$PAWL_STORY/$PAWL_ATTEMPT_ID"
  note work
  git add --all
  commit "a half"
  if [ $((chance % 4)) -eq 0 ]; then sleep 2; note late; fi
  echo "$PAWL_STORY" > "work/$PAWL_RUN/$PAWL_STORY/$PAWL_ATTEMPT_ID"
  note work
  ;;
look)
  [ "$(cat "work/$PAWL_RUN/$PAWL_STORY"/*)" = "$PAWL_STORY" ] || { echo "it is not finished" >&2; exit 1; }
  ;;
report)
  for story in ${stories.join(" ")}; do
    [ "$(cat "work/$PAWL_RUN/$story"/*)" = "$story" ] || { echo "$story is not there" >&2; exit 1; }
  done
  ;;
esac
pause
waits=0
while [ -e "$scene/hold.$PAWL_ATTEMPT_ID" ] && [ $waits -lt 1200 ]; do note held; sleep 0.1; waits=$((waits + 1)); done
note end
echo "STATUS: done"
`;
