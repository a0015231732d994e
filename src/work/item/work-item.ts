import { posix } from 'node:path';
import * as v from 'valibot';
import { int, record, strictObject } from '../../base/schema.ts';
import { unsafeText } from '../../base/text.ts';
import { LOADS_CODE } from '../../system/child-environment.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { isGitPath } from '../workspace/git-name.ts';

/**
 * Terms:
 * - a *work item* is a task for an agent, with limits and an optional test command;
 * - a *plan* is a list of work items whose dependencies form an acyclic graph;
 * - a *run* is one attempt at an item; a *job* is one call of `work run`.
 */
export interface Constraints {
  readonly max_files: number;
  readonly max_tool_ops: number;
  readonly max_delta_size: number;
  readonly timeout_ms: number;
}

/** A program that runs next to each command of a run, and ends with it. */
export interface Service {
  readonly name: string;
  readonly command: string;
  /** Succeeds when the service is ready; the command starts then. */
  readonly ready: string;
  readonly timeout_ms?: number | undefined;
}

export interface WorkItem {
  readonly id: string;
  readonly agent_id: string;
  readonly description: string;
  readonly dependencies: readonly string[];
  readonly constraints: Constraints;
  readonly budget: { readonly time_estimate_ms: number; readonly complexity: 'low' | 'medium' | 'high' };
  readonly input_files?: readonly string[] | undefined;
  readonly output_files?: readonly string[] | undefined;
  readonly test_command?: string | undefined;
  /** A person must approve the run before it is promoted. Extension of the contract. */
  readonly approval?: boolean | undefined;
  /** Whether the agent may use the network; true by default. Extension of the contract. */
  readonly network?: boolean | undefined;
  /** Globs of the paths that a run may change, and of those that it may not. Extension of the contract, like the members below. */
  readonly paths?: {
    readonly allow?: readonly string[] | undefined;
    readonly deny?: readonly string[] | undefined;
  };
  /** The maximum number of added and deleted lines. */
  readonly max_lines?: number | undefined;
  /** Regular expressions that no added line may match. */
  readonly forbid?: readonly string[] | undefined;
  /** Runs before the agent, in its workspace. */
  readonly setup_command?: string | undefined;
  /** The folder in which all commands start, relative to the tree. */
  readonly working_directory?: string | undefined;
  /** Variables of all commands. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Programs that run next to the agent and the tests. */
  readonly services?: readonly Service[] | undefined;
  /** How often a failed run is repeated. */
  readonly retries?: number | undefined;
  /** Labels that a worker must have to run the item from a queue. */
  readonly requires?: readonly string[] | undefined;
  /** The journal task of this item; without it, the run creates its own task. Extension of the contract. */
  readonly task_id?: string | undefined;
}

/** The agent that checks the merged result of a plan. */
export const RECONCILER = 'agent-0';

const DEFAULTS: Constraints = { max_files: 10, max_tool_ops: 50, max_delta_size: 100, timeout_ms: 300_000 };

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/u;

/** Ids are used in file names and commands. */
const name = () =>
  v.pipe(
    v.string(),
    v.regex(NAME, 'must be letters, digits, dot, dash or underscore'),
    v.maxLength(WORK_LIMITS.nameCharacters),
  );

/** A name from the configuration, or the path of a prompt file in the tree. */
const agent = () =>
  v.pipe(
    v.string(),
    v.check(
      (value) => NAME.test(value) || (isPromptPath(value) && isInsideTree(value) && !/\p{Cc}/u.test(value)),
      'must be letters, digits, dot, dash or underscore, or the path of a file in the tree that ends in .ai',
    ),
    v.maxLength(WORK_LIMITS.pathCharacters),
  );

const text = () =>
  v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(WORK_LIMITS.textCharacters),
    v.check(isText, 'must be valid text without NUL'),
  );

const count = (fallback: number, least = 0) =>
  v.optional(v.pipe(int(), v.minValue(least), v.maxValue(2 ** 31 - 1)), fallback);

/** Whether an item may not set a variable: deed sets it, or it would load code into every command. */
const isReservedVariable = (value: string): boolean => value.startsWith('DEED_') || LOADS_CODE.test(value);

const variables = () =>
  v.pipe(
    record(
      v.pipe(
        v.string(),
        v.maxLength(WORK_LIMITS.textCharacters),
        v.check(isText, 'must be valid text without NUL'),
      ),
    ),
    v.check(
      (value) => Object.keys(value).every((key) => /^[A-Za-z_]\w*$/u.test(key) && !isReservedVariable(key)),
      'must have names of letters, digits and underscores that are not DEED_*, NODE_OPTIONS, LD_PRELOAD or similar',
    ),
    v.check(
      (value) => Object.keys(value).length <= WORK_LIMITS.listed,
      `must have at most ${WORK_LIMITS.listed} members`,
    ),
  );

const patterns = () =>
  v.pipe(
    v.array(v.pipe(text(), v.maxLength(WORK_LIMITS.patternCharacters))),
    v.minLength(1),
    v.maxLength(WORK_LIMITS.listed),
  );

/** One lower-case word, because it becomes a part of names in a database. */
const label = () => v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/u, 'must be a lower-case word'));

const service = () =>
  strictObject({
    name: name(),
    command: text(),
    ready: text(),
    timeout_ms: v.optional(v.pipe(int(), v.minValue(1), v.maxValue(3_600_000))),
  });

const path = () => v.pipe(text(), v.check(isInsideTree, 'must be a path inside the repository, not in .git'));

/** The schema of an item in a plan file; unknown fields are rejected. */
export const WORK_ITEM_SCHEMA = strictObject({
  id: name(),
  agent_id: agent(),
  description: text(),
  dependencies: v.optional(v.array(name()), () => []),
  constraints: v.optional(
    strictObject({
      max_files: count(DEFAULTS.max_files),
      max_tool_ops: count(DEFAULTS.max_tool_ops),
      max_delta_size: count(DEFAULTS.max_delta_size),
      timeout_ms: count(DEFAULTS.timeout_ms, 1),
    }),
    DEFAULTS,
  ),
  budget: v.optional(
    strictObject({
      time_estimate_ms: v.pipe(int(), v.minValue(0)),
      complexity: v.picklist(['low', 'medium', 'high']),
    }),
  ),
  input_files: v.optional(v.array(path())),
  output_files: v.optional(v.array(path())),
  test_command: v.optional(text()),
  approval: v.optional(v.boolean()),
  network: v.optional(v.boolean()),
  paths: v.optional(strictObject({ allow: v.optional(patterns()), deny: v.optional(patterns()) })),
  max_lines: v.optional(v.pipe(int(), v.minValue(0))),
  forbid: v.optional(patterns()),
  setup_command: v.optional(text()),
  working_directory: v.optional(path()),
  env: v.optional(variables()),
  services: v.optional(v.pipe(v.array(service()), v.maxLength(WORK_LIMITS.services))),
  retries: v.optional(v.pipe(int(), v.minValue(0), v.maxValue(WORK_LIMITS.retries))),
  requires: v.optional(v.pipe(v.array(label()), v.minLength(1), v.maxLength(WORK_LIMITS.listed))),
  task_id: v.optional(v.pipe(text(), v.maxLength(512))),
});

/** Whether an agent's name is the path of a prompt file in the tree. */
export function isPromptPath(agentId: string): boolean {
  return agentId.endsWith('.ai');
}

/** Normalises a path of an item relative to the tree; a leading slash means the repository root. */
export function treePath(path: string): string {
  return posix.normalize(path.replace(/^\/+/u, '')).replace(/\/$/u, '');
}

function isText(value: string): boolean {
  return unsafeText(value) === undefined;
}

function isInsideTree(path: string): boolean {
  const inside = treePath(path);
  return (
    inside !== '' &&
    inside !== '.' &&
    inside !== '..' &&
    !inside.startsWith('../') &&
    !isGitPath(inside) &&
    path.length <= WORK_LIMITS.pathCharacters
  );
}
