import {
  INVALID_PARAMS,
  ProtocolError,
  type GetPromptResult,
  type Prompt,
} from '@modelcontextprotocol/server';

interface PromptTemplate {
  readonly prompt: Prompt;
  readonly render: (given: Readonly<Record<string, string>>) => string;
}

/** Conversation starters that a user picks in the client. */
const TEMPLATES: readonly PromptTemplate[] = [
  {
    prompt: {
      name: 'resume-work',
      title: 'Resume work',
      description: 'Continue where the last session ended',
      arguments: [{ name: 'project_dir', description: 'The project, if not the current folder' }],
    },
    render: ({ project_dir: folder }) => `Continue the work of the last session with deed.
1. call-write of "resume"${folder === undefined ? '' : ` with project_dir ${JSON.stringify(folder)}`} and a new request_id. Read the focus task, the unread events and the directives.
2. If there is no focus task, call-read of "task next" and suggest that task.
3. Tell me in a few lines what is done, what is open and what you will do next. Then begin that task with call-write of "task begin".
Record progress with "push", and end with "task complete".`,
  },
  {
    prompt: {
      name: 'plan-work',
      title: 'Plan work',
      description: 'Split a goal into tasks with dependencies',
      arguments: [{ name: 'goal', description: 'What should be achieved', required: true }],
    },
    render: ({ goal = '' }) => `Plan this goal with deed: ${goal}
1. call-read of "brief" and of "memory search" for what is known about it.
2. Propose 3 to 8 tasks, each small enough to be verified on its own, with priority and dependencies. Wait for my agreement.
3. Create them with call-write of "task create", and connect them with "task add-dep". Use a new request_id for each call.
4. Store decisions that outlast the conversation with "memory set".`,
  },
  {
    prompt: {
      name: 'clean-up',
      title: 'Clean up processes',
      description: 'Find processes that agents left running, and stop those I agree to',
    },
    render: () => `Find processes that agents left running, with deed.
1. call-read of "triage plan". List the candidates with the reason for each; do not act yet.
2. For those that I name, call-write of "triage apply" with the session, targets and dry_run: true. Show me the preview.
3. Only after I agree, repeat the call with confirm and dangerous: true, then check the result with call-read of "triage verify".`,
  },
];

export function listPrompts(): Prompt[] {
  return TEMPLATES.map(({ prompt }) => structuredClone(prompt));
}

/** Renders a prompt; an unknown one or a missing argument is an error of the protocol. */
export function getPrompt(name: string, given: Readonly<Record<string, string>> = {}): GetPromptResult {
  const template = TEMPLATES.find(({ prompt }) => prompt.name === name);
  if (template === undefined) throw new ProtocolError(INVALID_PARAMS, `Unknown prompt: "${name}".`);
  for (const { name: argument, required } of template.prompt.arguments ?? []) {
    if (required && !given[argument])
      throw new ProtocolError(INVALID_PARAMS, `The prompt ${name} needs the argument ${argument}.`);
  }
  return {
    ...(template.prompt.description !== undefined && { description: template.prompt.description }),
    messages: [{ role: 'user', content: { type: 'text', text: template.render(given) } }],
  };
}
