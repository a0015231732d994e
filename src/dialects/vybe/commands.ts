import type { JsonObject } from '../../base/json.ts';

/** Maps a command of the continuity contract to a command of the table. */
export interface VybeCommand {
  /** The path in the command table. */
  readonly command: string;
  readonly agent?: 'required' | 'optional';
  /** Whether the contract requires a request id. */
  readonly requestId?: true;
  /** Flags with a different name, by parameter. */
  readonly names?: Readonly<Record<string, string>>;
  /** One-letter flags, by parameter. */
  readonly letters?: Readonly<Record<string, string>>;
  /** Parameters that are not available. */
  readonly without?: readonly string[];
  readonly defaults?: JsonObject;
  /** Parameters with another type than in the table, by name, as JSON Schema. */
  readonly schemas?: Readonly<Record<string, JsonObject>>;
  readonly fixed?: JsonObject;
  /** Reads all parameters from one JSON document: `--json`, or standard input. */
  readonly document?: true;
  /** The contract's name of the rows of a list. */
  readonly rows?: string;
  /** Converts the answer to the format of the contract. */
  readonly show?: (data: JsonObject, params: JsonObject) => JsonObject;
  /** Converts the preview of a dry run; without it, the preview is shown as it is. */
  readonly showPreview?: (preview: JsonObject) => JsonObject;
  /** A hook: prints what its host expects, and always exits with 0. */
  readonly hook?: true;
}

const LETTERS = { key: 'k', value: 'v', type: 't', scope: 's' } as const;
const WRITE = { agent: 'required', requestId: true } as const;
/** The contract has no pages; the largest page with a cursor for the rest is the closest match. */
const MAX_PAGE = { limit: 1000 } as const;

function listAs(
  rows: string,
  extra: (params: JsonObject) => JsonObject = () => ({}),
): Required<Pick<VybeCommand, 'rows' | 'show'>> {
  return {
    rows,
    show: ({ items, count, next_cursor, has_more, total }, params) => ({
      ...extra(params),
      count,
      // Absent if other fields were selected.
      ...(items !== undefined && { [rows]: items }),
      ...(has_more === true && { has_more, next_cursor, ...(total !== undefined && { total }) }),
    }),
  };
}

const scopeOf = ({ scope, scope_id }: JsonObject): JsonObject => ({
  scope: scope ?? 'global',
  ...(scope_id !== undefined && { scope_id }),
});

/** What a loop would work on, in the form of its result. */
const showLoopPreview: VybeCommand['showPreview'] = ({ changes }) => {
  const results = (changes as { readonly id: string; readonly after: { readonly title: string } }[]).map(
    ({ id, after }) => ({ task_id: id, task_title: after.title, status: 'dry_run', duration: 0 }),
  );
  return { completed: results.length, failed: 0, total: results.length, duration_sec: 0, results };
};

const hook = (event: string): VybeCommand => ({
  command: 'hook handle',
  fixed: { event },
  agent: 'optional',
  hook: true,
});

/** The commands of the contract, in display order. */
export const VYBE_COMMANDS: Readonly<Record<string, VybeCommand>> = {
  'artifacts list': {
    command: 'artifacts list',
    agent: 'optional',
    ...listAs('artifacts', ({ task_id }) => ({ task_id })),
  },
  'events list': {
    command: 'events list',
    agent: 'optional',
    schemas: { since_id: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } },
    ...listAs('events'),
  },
  'hook install': { command: 'hook install' },
  'hook uninstall': { command: 'hook uninstall' },
  'hook session-start': hook('session-start'),
  'hook prompt': hook('prompt'),
  'hook tool-success': hook('tool-success'),
  'hook tool-failure': hook('tool-failure'),
  'hook checkpoint': hook('checkpoint'),
  'hook session-end': hook('session-end'),
  'hook task-completed': hook('task-completed'),
  'hook stop': hook('stop'),
  'hook subagent-start': hook('subagent-start'),
  'hook subagent-stop': hook('subagent-stop'),
  loop: { command: 'loop', agent: 'optional', showPreview: showLoopPreview },
  'loop stats': { command: 'loop stats' },
  'memory set': { command: 'memory set', ...WRITE, letters: LETTERS },
  'memory get': { command: 'memory get', agent: 'optional', letters: LETTERS },
  'memory list': {
    command: 'memory list',
    agent: 'optional',
    letters: LETTERS,
    defaults: MAX_PAGE,
    ...listAs('memories', scopeOf),
  },
  'memory search': {
    command: 'memory search',
    agent: 'optional',
    letters: LETTERS,
    ...listAs('memories', ({ query }) => ({ query })),
  },
  'memory delete': { command: 'memory delete', ...WRITE, letters: LETTERS },
  'memory gc': { command: 'memory gc', ...WRITE },
  push: { command: 'push', ...WRITE, document: true },
  resume: { command: 'resume', ...WRITE },
  status: { command: 'status', agent: 'optional' },
  'task create': { command: 'task create', ...WRITE, names: { description: 'desc' } },
  'task begin': { command: 'task begin', ...WRITE },
  'task heartbeat': { command: 'task heartbeat', ...WRITE },
  'task get': { command: 'task get', agent: 'optional' },
  'task list': { command: 'task list', agent: 'optional', defaults: MAX_PAGE, ...listAs('tasks') },
  'task next': { command: 'task next', agent: 'optional' },
  'task take': { command: 'task take', ...WRITE },
  'task set-status': { command: 'task set-status', ...WRITE },
  'task set-priority': { command: 'task set-priority', ...WRITE },
  'task complete': { command: 'task complete', ...WRITE },
  'task add-dep': { command: 'task add-dep', ...WRITE },
  'task remove-dep': { command: 'task remove-dep', ...WRITE },
  'task delete': { command: 'task delete', ...WRITE },
  upgrade: { command: 'store upgrade' },
};

/** `resume --peek` is a read: another command with the same flags. */
export const PEEK: VybeCommand = { command: 'brief', agent: 'required' };

/** Commands of the contract that the dialect implements itself. */
export const OWN_COMMANDS: Readonly<Record<string, string>> = {
  help: 'Describe a command, or all of them',
  'schema commands': 'Describe every command with its arguments, for programs',
};

/** The first words of the commands; a test compares them with the commands above. */
export const NAMESPACES: Readonly<Record<string, string>> = {
  artifacts: 'Files recorded for tasks',
  events: 'The event log',
  hook: 'Hooks for Claude Code and OpenCode',
  loop: 'Run an agent program on each task of the queue',
  memory: 'Values stored across sessions',
  schema: 'Descriptions for programs',
  task: 'Tasks, claims and dependencies',
};
