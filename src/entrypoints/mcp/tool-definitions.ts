/**
 * The commonest calls, one per line: the command, then its usual parameters, where "?" marks an optional one. They are part of the tool
 * descriptions, so that a model can make them without calling find or describe first.
 */
const COMMON_READS = `brief {project_dir?} current state
task next {project_id?}
task list {status?, ready?, project_id?, limit?}
task get {id}
memory search {query, scope?, scope_id?}
memory get {key, scope?, scope_id?}
work status {id} of a job
work show {id} of a run
triage plan {limit?} processes left running`;

const COMMON_WRITES = `resume {project_dir?} brief; marks unread events as read
task create {title, description?, project_id?, priority?}
task take {project_id?} claims the next ready task
task begin {id}
task complete {id, outcome, summary} outcome: done, blocked
push {task_id?, event?, memories?} event: {"kind":"progress","message":"…"}, memories: [{key, value, scope, scope_id}]
memory set {key, value, scope?, scope_id?} scope: global, project, task, agent`;

const command = { type: 'string', description: 'Path, such as "task create"' };
const parameters = { type: 'object' };
const fields = {
  type: 'array',
  items: { type: 'string' },
  description: 'Dotted paths to return; ["*"] for all (default: key fields)',
};

/** Four tools give access to every command, so that a model does not have to read a hundred schemas. */
export const TOOLS = [
  {
    name: 'find',
    title: 'Find commands',
    description:
      'Finds commands of deed: tasks, memory, events, atomic work runs with receipts, agents, process triage, configuration. Those with offered: false are for a person in a terminal.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'A few words; empty lists all' },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'describe',
    title: 'Describe a command',
    description:
      'Returns parameters, fields, errors and examples of a command. The calls listed below do not need it.',
    inputSchema: {
      type: 'object',
      properties: { command },
      required: ['command'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'call-read',
    title: 'Call a read',
    description: `Calls a command that changes nothing. Common calls, as command {parameters}:
${COMMON_READS}`,
    inputSchema: {
      type: 'object',
      properties: {
        command,
        parameters,
        fields,
      },
      required: ['command'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'call-write',
    title: 'Call a write',
    description: `Calls a command that changes something. Journal writes need no confirm token, by design: they need a request_id that you choose; a retry with the same one never writes twice. Journal writes:
${COMMON_WRITES}
Every other write needs two calls: dry_run returns a preview and a confirm_token; then the same with confirm.`,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        parameters,
        fields: { type: 'array', items: { type: 'string' } },
        dry_run: { type: 'boolean', description: 'Only preview' },
        confirm: { type: 'string', description: 'The confirm_token' },
        dangerous: { type: 'boolean', description: 'With confirm, for dangerous commands' },
        continue_on_error: { type: 'boolean', description: 'In a batch' },
        request_id: { type: 'string', description: 'Your id for this write, such as k3f9x2-1' },
      },
      required: ['command'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
] as const;
