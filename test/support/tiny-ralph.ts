// The smallest workflow of Dynamic Ralph: one step and an integration for each story, one story at a time.

export const tinyRalph = `
pawl: 1
protocol: ralph
id: tiny-ralph
agents: { worker: {} }
steps:
  - id: stories
    stories: { workspace: worktree, concurrency: 1 }
    body:
      - { id: coding, agent: worker, summary: true, input: "{{current_story}}" }
      - { id: land, integrate: { message: "{{story}}: {{title}}" } }
`;
