/**
 * The standard session of an agent: it learns what the tool can do, resumes, works on a task, makes a mistake and corrects it, backs up
 * the store, and lists its queue of 50 tasks. The steps and their texts are fixed, so that the counts of two versions can be compared; the calls
 * of a step are those that the Skill or the tool descriptions of that version teach.
 */
export type Step =
  | 'discover'
  | 'resume'
  | 'create'
  | 'begin'
  | 'push'
  | 'recover'
  | 'complete'
  | 'gated write'
  | 'list 50';

/** A call; a name in braces is a value of an earlier answer. */
export interface Call<T> {
  readonly step: Step;
  readonly call: T;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const AGENT = 'claude-app';
export const PROJECT = '/home/dev/app';
const BACKUP = 'deed-backup.db';
const TITLE = 'Reject invalid dates in the import of invoices';
const SUMMARY = 'Invalid dates are rejected with the line number; 14 tests pass.';

/** What the agent records while it works: an event and a memory each. */
const PUSHES = [
  {
    message: 'Found the cause: parseDate accepts 31 February and rolls over to March.',
    key: 'import.dates.cause',
    value: 'parseDate uses the Date constructor, which rolls over',
  },
  {
    message: 'Rewrote parseDate to check year, month and day separately.',
    key: 'import.dates.decision',
    value: 'reject the whole line; never guess a date',
  },
  {
    message: 'Added 14 tests; all of them pass, and so does the import of the sample file.',
    key: 'import.test.command',
    value: 'npm test -- import',
  },
];

const requestId = (operation: string, number: number): string =>
  `cc_${operation}_17393730${number}0123_a19f2c`;

/** As the description of the tool suggests. */
const shortId = (number: number): string => `a19f2c-${number}`;

const pushOf = ({ message, key, value }: (typeof PUSHES)[number], task: string) => ({
  task_id: task,
  event: { kind: 'progress', message },
  memories: [{ key, value, scope: 'task', scope_id: task }],
});

/** A journal write of vybe: one call with a request id. */
const vybeWrite = (words: string, operation: string, number: number, fields: string): string =>
  `vybe ${words} --agent ${AGENT} --request-id ${requestId(operation, number)} --fields ${fields}`;

/** A journal write of deed. Only the token of the dry run is read: an agent needs no preview of what it records itself. */
function journalWrite(step: Step, words: string, fields: string): readonly Call<string>[] {
  return [
    { step, call: `deed ${words} --dry-run --fields confirm_token --compact` },
    { step, call: `deed ${words} --confirm {token} --fields ${fields} --compact` },
  ];
}

const DESCRIBE_BACKUP =
  'deed reference --command "store backup" --fields commands[].params,commands[].gate,schemas --compact';

/** A write with a preview that the agent reads. */
const GATED_WRITE: readonly Call<string>[] = [
  { step: 'gated write', call: `deed store backup --to ${BACKUP} --dry-run --compact` },
  { step: 'gated write', call: `deed store backup --to ${BACKUP} --confirm {token} --compact` },
];

const COMPLETE = 'task complete --id {task}';

export const VYBE_SESSION: readonly Call<string>[] = [
  { step: 'discover', call: 'vybe help push' },
  { step: 'discover', call: DESCRIBE_BACKUP },
  { step: 'resume', call: vybeWrite(`resume --project-dir ${PROJECT}`, 'resume', 1, 'prompt') },
  {
    step: 'create',
    call: vybeWrite(
      `task create --title '${TITLE}' --project-id ${PROJECT} --priority 5`,
      'create',
      2,
      'task.id',
    ),
  },
  { step: 'begin', call: vybeWrite('task begin --id {task}', 'begin', 3, 'task.status') },
  ...PUSHES.map((push, index) => ({
    step: 'push' as const,
    call: vybeWrite(`push --json '${JSON.stringify(pushOf(push, '{task}'))}'`, 'push', 4 + index, 'event_id'),
  })),
  {
    step: 'recover',
    call: vybeWrite(`${COMPLETE} --outcome finished --summary '${SUMMARY}'`, 'complete', 7, 'task.status'),
  },
  {
    step: 'complete',
    call: vybeWrite(`${COMPLETE} --outcome done --summary '${SUMMARY}'`, 'complete', 7, 'task.status'),
  },
  ...GATED_WRITE,
  { step: 'list 50', call: `vybe task list --project-id ${PROJECT} --status pending --fields id,title` },
];

export const DEED_SESSION: readonly Call<string>[] = [
  { step: 'discover', call: 'deed reference --index --domain store --compact' },
  { step: 'discover', call: DESCRIBE_BACKUP },
  ...journalWrite('resume', `resume --project-dir ${PROJECT}`, 'prompt'),
  ...journalWrite('create', `task create --title '${TITLE}' --project-id ${PROJECT} --priority 5`, 'task.id'),
  ...journalWrite('begin', 'task begin --id {task}', 'task.status'),
  ...PUSHES.flatMap((push) =>
    journalWrite('push', `push --input '${JSON.stringify(pushOf(push, '{task}'))}'`, 'event_id'),
  ),
  {
    step: 'recover',
    call: `deed ${COMPLETE} --outcome finished --summary '${SUMMARY}' --dry-run --fields confirm_token --compact`,
  },
  ...journalWrite('complete', `${COMPLETE} --outcome done --summary '${SUMMARY}'`, 'task.status'),
  ...GATED_WRITE,
  {
    step: 'list 50',
    call: `deed task list --project-id ${PROJECT} --status pending --fields id,title --compact`,
  },
];

const write = (step: Step, command: string, parameters: object, id?: string): Call<ToolCall> => ({
  step,
  call: { name: 'call-write', arguments: { command, parameters, ...(id && { request_id: id }) } },
});

export const MCP_SESSION: readonly Call<ToolCall>[] = [
  { step: 'discover', call: { name: 'find', arguments: { query: 'back up the store' } } },
  { step: 'discover', call: { name: 'describe', arguments: { command: 'store backup' } } },
  write('resume', 'resume', { project_dir: PROJECT }, shortId(1)),
  write('create', 'task create', { title: TITLE, project_id: PROJECT, priority: 5 }, shortId(2)),
  write('begin', 'task begin', { id: '{task}' }, shortId(3)),
  ...PUSHES.map((push, index) => write('push', 'push', pushOf(push, '{task}'), shortId(4 + index))),
  write('recover', 'task complete', { id: '{task}', outcome: 'finished', summary: SUMMARY }, shortId(7)),
  write('complete', 'task complete', { id: '{task}', outcome: 'done', summary: SUMMARY }, shortId(7)),
  ...[{ dry_run: true }, { confirm: '{token}' }].map((gate) => ({
    step: 'gated write' as const,
    call: {
      name: 'call-write',
      arguments: { command: 'store backup', parameters: { to: BACKUP }, ...gate },
    },
  })),
  {
    step: 'list 50',
    call: {
      name: 'call-read',
      arguments: {
        command: 'task list',
        parameters: { project_id: PROJECT, status: 'pending' },
        fields: ['id', 'title'],
      },
    },
  },
];
