// Small workflows for tests, in antfarm's spelling and in our own.

/** Plan, then a loop with verification of each story, then one more step. */
export const loopWorkflow = `
id: mini
agents: [{ id: planner }, { id: dev }, { id: ver }, { id: pub }]
steps:
  - id: plan
    agent: planner
    input: "Plan {{task}}. Wrong last time: {{feedback}}"
    expects: "STATUS: done"
    max_retries: 2
  - id: implement
    agent: dev
    type: loop
    loop: { over: stories, completion: all_done, verify_each: true, verify_step: verify }
    input: |
      REPO: {{repo}}
      STORY: {{current_story}}
      ID: {{current_story_id}}
      TITLE: {{current_story_title}}
      DONE: {{completed_stories}}
      LEFT: {{stories_remaining}}
      FEEDBACK: [{{verify_feedback}}]
      PROGRESS: {{progress}}
    expects: "STATUS: done"
  - id: verify
    agent: ver
    input: |
      STORY: {{current_story}}
      CHANGES: {{changes}}
      PROGRESS: {{progress}}
    expects: "STATUS: done"
  - id: publish
    agent: pub
    input: "TASK={{task}} REPO={{repo}} CHANGES={{changes}} PROGRESS={{progress}} JSON={{stories_json}}"
    expects: "STATUS: done"
`;

/** Three steps in order; the last one may send the work back to the first. */
export const lineWorkflow = `
id: line
agents: [{ id: one }, { id: two }, { id: three }]
steps:
  - id: a
    agent: one
    input: "TASK={{task}} REPO={{repo}} FEEDBACK=[{{verify_feedback}}]"
    expects: "STATUS: done"
    max_retries: 2
  - id: b
    agent: two
    input: "TASK={{task}} REPO={{repo}} FINDINGS={{findings}} STEP2={{step2_result}} CHANGES={{changes}}"
    expects: "STATUS: done"
  - id: c
    agent: three
    input: "CHANGES={{changes}} FINDINGS={{findings}}"
    expects: "STATUS: done"
    on_fail: { retry_step: a, max_retries: 1 }
`;

/** A step, a question to a person, a step. */
export const gateWorkflow = `
pawl: 1
id: asking
agents: { worker: {} }
steps:
  - { id: build, agent: worker, input: "Build {{task}}" }
  - id: ask
    gate: "Ship it?"
    options: { approve: next, reject: { back_to: build } }
  - { id: ship, agent: worker, input: "Ship {{task}}" }
`;

/** Two steps of one agent. */
export const pairWorkflow = `
pawl: 1
id: pair
agents: { worker: {} }
steps:
  - { id: first, agent: worker, input: "First {{task}}" }
  - { id: second, agent: worker, input: "Second {{task}}" }
`;
