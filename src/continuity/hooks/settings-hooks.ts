import { Fault } from '../../base/fault.ts';
import { canonicalJson, isPlainObject } from '../../base/json.ts';
import type { HookEvent } from './handle-hook.ts';

/** Hosts that read their hooks from JSON settings of the same shape. */
export type SettingsHost = 'claude' | 'codex' | 'gemini';

interface HookEntry {
  readonly event: string;
  readonly handler: HookEvent;
  readonly matcher?: string;
}

interface HostHooks {
  readonly hooks: readonly HookEntry[];
  /** Claude Code and Codex read it in seconds, Gemini CLI in milliseconds. */
  readonly timeout: number;
  /** Arguments after the handler; the handlers take Claude Code as the default. */
  readonly suffix: string;
}

const HOOKS: Readonly<Record<SettingsHost, HostHooks>> = {
  claude: {
    hooks: [
      { event: 'SessionStart', handler: 'session-start' },
      { event: 'UserPromptSubmit', handler: 'prompt' },
      {
        event: 'PostToolUse',
        handler: 'tool-success',
        matcher: 'Bash|Edit|MultiEdit|Write|NotebookEdit|TodoWrite',
      },
      { event: 'PostToolUseFailure', handler: 'tool-failure' },
      { event: 'Stop', handler: 'stop' },
      { event: 'PreCompact', handler: 'checkpoint' },
      { event: 'SessionEnd', handler: 'session-end' },
      { event: 'TaskCompleted', handler: 'task-completed' },
    ],
    timeout: 10,
    suffix: '',
  },
  codex: {
    hooks: [
      { event: 'SessionStart', handler: 'session-start' },
      { event: 'UserPromptSubmit', handler: 'prompt' },
      { event: 'PostToolUse', handler: 'tool-success', matcher: 'Bash|apply_patch|update_plan' },
      { event: 'Stop', handler: 'stop' },
      { event: 'PreCompact', handler: 'checkpoint' },
      { event: 'SessionEnd', handler: 'session-end' },
    ],
    // Codex gives the end of a session at most three seconds.
    timeout: 3,
    suffix: ' --host codex',
  },
  gemini: {
    hooks: [
      { event: 'SessionStart', handler: 'session-start' },
      { event: 'BeforeAgent', handler: 'prompt' },
      {
        event: 'AfterTool',
        handler: 'tool-success',
        matcher: 'run_shell_command|write_file|replace|write_todos',
      },
      { event: 'AfterAgent', handler: 'stop' },
      { event: 'PreCompress', handler: 'checkpoint' },
      { event: 'SessionEnd', handler: 'session-end' },
    ],
    timeout: 10_000,
    suffix: ' --host gemini',
  },
};

/** Matches a command that runs a vybe handler, from any folder. */
const VYBE_HOOK = /(?:^|[/\\"' ])vybe(?:\.[cm]?js)?["']? hook [a-z-]+(?: --host [a-z]+)?$/u;

const HANDLER = / hook [a-z-]+(?: --host [a-z]+)?$/u;

type Settings = Readonly<Record<string, unknown>>;

/** Adds the vybe hooks to settings; replaces the hooks of an earlier install and keeps all other entries. */
export function addHooks(settings: Settings, host: SettingsHost, program: string): Settings {
  const expected = expectedGroups(host, program);
  if (canonicalJson(ownGroups(settings)) === canonicalJson(expected)) return settings;
  const cleaned = removeHooks(settings);
  const hooks: Record<string, unknown> = { ...(cleaned.hooks as Settings | undefined) };
  for (const [event, groups] of Object.entries(expected))
    hooks[event] = [...groupsOf(hooks, event), ...groups];
  return { ...cleaned, hooks };
}

/** The groups of an install, by event. */
function expectedGroups(host: SettingsHost, program: string): Readonly<Record<string, readonly unknown[]>> {
  const { hooks, timeout, suffix } = HOOKS[host];
  return Object.fromEntries(
    hooks.map(({ event, handler, matcher }) => {
      const command = `${program} hook ${handler}${suffix}`;
      return [
        event,
        [{ ...(matcher !== undefined && { matcher }), hooks: [{ type: 'command', command, timeout }] }],
      ];
    }),
  );
}

/** The groups that contain a vybe hook, by event. */
function ownGroups(settings: Settings): Readonly<Record<string, readonly unknown[]>> {
  const hooks = settings.hooks ?? {};
  if (!isPlainObject(hooks)) throw invalidSettings('"hooks" is not an object');
  const own = Object.keys(hooks).map((event) => [event, groupsOf(hooks, event).filter(hasVybeHook)] as const);
  return Object.fromEntries(own.filter(([, groups]) => groups.length > 0));
}

/** Removes the vybe hooks, and groups and events that become empty by that. */
export function removeHooks(settings: Settings): Settings {
  if (settings.hooks === undefined || settings.hooks === null) return settings;
  if (!isPlainObject(settings.hooks)) throw invalidSettings('"hooks" is not an object');
  const kept: Record<string, unknown> = {};
  for (const [event, value] of Object.entries(settings.hooks)) {
    if (!groupsOf(settings.hooks, event).some(hasVybeHook)) {
      kept[event] = value;
      continue;
    }
    const groups = groupsOf(settings.hooks, event).flatMap((group) => {
      if (!hasVybeHook(group)) return [group];
      const others = entriesOf(group).filter((entry) => !isVybeHook(entry));
      return others.length === 0 ? [] : [{ ...(group as Settings), hooks: others }];
    });
    if (groups.length > 0) kept[event] = groups;
  }
  const { hooks: _, ...rest } = settings;
  return Object.keys(kept).length === 0 ? rest : { ...settings, hooks: kept };
}

export function hasHooks(settings: Settings): boolean {
  const { hooks } = settings;
  return isPlainObject(hooks) && Object.keys(hooks).some((event) => groupsOf(hooks, event).some(hasVybeHook));
}

/** The commands of the vybe hooks, without the handler names. */
export function programsOfHooks({ hooks }: Settings): readonly string[] {
  if (!isPlainObject(hooks)) return [];
  const entries = Object.keys(hooks)
    .flatMap((event) => groupsOf(hooks, event))
    .flatMap(entriesOf)
    .filter(isVybeHook);
  return entries.map(({ command }) => command.replace(HANDLER, ''));
}

function groupsOf(hooks: Settings, event: string): readonly unknown[] {
  const groups = hooks[event];
  if (groups === undefined || groups === null) return [];
  if (Array.isArray(groups)) return groups;
  throw invalidSettings(`"hooks.${event}" is not an array`);
}

function entriesOf(group: unknown): readonly unknown[] {
  return isPlainObject(group) && Array.isArray(group.hooks) ? group.hooks : [];
}

function hasVybeHook(group: unknown): boolean {
  return entriesOf(group).some(isVybeHook);
}

function isVybeHook(entry: unknown): entry is { readonly command: string } {
  return isPlainObject(entry) && typeof entry.command === 'string' && VYBE_HOOK.test(entry.command);
}

function invalidSettings(problem: string): Fault {
  return new Fault('E_CONFIG', `Invalid settings: ${problem}.`, {
    hint: 'Nothing was changed. Fix the file, then retry.',
    details: { problem },
  });
}
