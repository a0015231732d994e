import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';

/** The handler for each event of Claude Code, which reads `timeout` in seconds. */
const HOOKS: readonly { readonly event: string; readonly handler: string; readonly matcher?: string }[] = [
  { event: 'SessionStart', handler: 'session-start' },
  { event: 'UserPromptSubmit', handler: 'prompt' },
  { event: 'PostToolUse', handler: 'tool-success', matcher: 'Bash|Edit|MultiEdit|Write|NotebookEdit' },
  { event: 'PostToolUseFailure', handler: 'tool-failure' },
  { event: 'Stop', handler: 'stop' },
  { event: 'PreCompact', handler: 'checkpoint' },
  { event: 'SessionEnd', handler: 'session-end' },
  { event: 'TaskCompleted', handler: 'task-completed' },
];
const TIMEOUT_SECONDS = 10;

/** Matches a command that runs a vybe handler, from any folder. */
const VYBE_HOOK = /(?:^|[/\\"' ])vybe(?:\.[cm]?js)?["']? hook [a-z-]+$/u;

const HANDLER = / hook [a-z-]+$/u;

type Settings = Readonly<Record<string, unknown>>;

/** Adds the vybe hooks to settings; replaces those of an earlier install and keeps all other entries. */
export function addClaudeHooks(settings: Settings, program: string): Settings {
  const cleaned = removeClaudeHooks(settings);
  const hooks: Record<string, unknown> = { ...(cleaned.hooks as Settings | undefined) };
  for (const { event, handler, matcher } of HOOKS) {
    const entry = {
      ...(matcher !== undefined && { matcher }),
      hooks: [{ type: 'command', command: `${program} hook ${handler}`, timeout: TIMEOUT_SECONDS }],
    };
    hooks[event] = [...groupsOf(hooks, event), entry];
  }
  return { ...cleaned, hooks };
}

/** Removes the vybe hooks, and groups and events that become empty by that. */
export function removeClaudeHooks(settings: Settings): Settings {
  if (settings.hooks === undefined) return settings;
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

export function hasClaudeHooks(settings: Settings): boolean {
  const { hooks } = settings;
  return isPlainObject(hooks) && Object.keys(hooks).some((event) => groupsOf(hooks, event).some(hasVybeHook));
}

/** The commands of the vybe hooks, without the handler names. */
export function programsOfClaudeHooks({ hooks }: Settings): readonly string[] {
  if (!isPlainObject(hooks)) return [];
  const entries = Object.keys(hooks)
    .flatMap((event) => groupsOf(hooks, event))
    .flatMap(entriesOf)
    .filter(isVybeHook);
  return entries.map(({ command }) => command.replace(HANDLER, ''));
}

function groupsOf(hooks: Settings, event: string): readonly unknown[] {
  const groups = hooks[event];
  if (groups === undefined) return [];
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
