import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';

/** Which event of Claude Code calls which handler. The host reads `timeout` in seconds. */
const HOOKS: readonly { readonly event: string; readonly handler: string; readonly matcher?: string }[] = [
  { event: 'SessionStart', handler: 'session-start' },
  { event: 'UserPromptSubmit', handler: 'prompt' },
  { event: 'PostToolUse', handler: 'tool-success', matcher: 'Bash|Edit|MultiEdit|Write|NotebookEdit' },
  { event: 'PostToolUseFailure', handler: 'tool-failure' },
  { event: 'PreCompact', handler: 'checkpoint' },
  { event: 'SessionEnd', handler: 'session-end' },
  { event: 'TaskCompleted', handler: 'task-completed' },
];
const TIMEOUT_SECONDS = 10;

/** An entry is ours when it runs a handler of ours, whatever folder it is in. */
const OURS = /(?:^|[/\\"' ])vybe(?:\.[cm]?js)?["']? hook [a-z-]+$/u;

const HANDLER = / hook [a-z-]+$/u;

type Settings = Readonly<Record<string, unknown>>;

/** Adds our hooks to settings; ours of an earlier install are replaced, and foreign entries stay as they are. */
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

/** Removes our hooks; a group or event that is empty then goes too, unless it was empty before. */
export function removeClaudeHooks(settings: Settings): Settings {
  if (settings.hooks === undefined) return settings;
  if (!isPlainObject(settings.hooks)) throw misshapen('"hooks" is not an object');
  const kept: Record<string, unknown> = {};
  for (const [event, value] of Object.entries(settings.hooks)) {
    if (!groupsOf(settings.hooks, event).some(hasOurs)) {
      kept[event] = value;
      continue;
    }
    const groups = groupsOf(settings.hooks, event).flatMap((group) => {
      if (!hasOurs(group)) return [group];
      const others = entriesOf(group).filter((entry) => !isOurs(entry));
      return others.length === 0 ? [] : [{ ...(group as Settings), hooks: others }];
    });
    if (groups.length > 0) kept[event] = groups;
  }
  const { hooks: _, ...rest } = settings;
  return Object.keys(kept).length === 0 ? rest : { ...settings, hooks: kept };
}

export function hasClaudeHooks(settings: Settings): boolean {
  const { hooks } = settings;
  return isPlainObject(hooks) && Object.keys(hooks).some((event) => groupsOf(hooks, event).some(hasOurs));
}

/** The commands of our hooks without the handler that each of them names. */
export function programsOfClaudeHooks({ hooks }: Settings): readonly string[] {
  if (!isPlainObject(hooks)) return [];
  const ours = Object.keys(hooks)
    .flatMap((event) => groupsOf(hooks, event))
    .flatMap(entriesOf)
    .filter(isOurs);
  return ours.map(({ command }) => command.replace(HANDLER, ''));
}

function groupsOf(hooks: Settings, event: string): readonly unknown[] {
  const groups = hooks[event];
  if (groups === undefined) return [];
  if (Array.isArray(groups)) return groups;
  throw misshapen(`"hooks.${event}" is not a list`);
}

function entriesOf(group: unknown): readonly unknown[] {
  return isPlainObject(group) && Array.isArray(group.hooks) ? group.hooks : [];
}

function hasOurs(group: unknown): boolean {
  return entriesOf(group).some(isOurs);
}

function isOurs(entry: unknown): entry is { readonly command: string } {
  return isPlainObject(entry) && typeof entry.command === 'string' && OURS.test(entry.command);
}

function misshapen(problem: string): Fault {
  return new Fault('E_CONFIG', `The settings cannot be understood: ${problem}.`, {
    hint: 'Nothing was changed. Mend the file by hand, then try again.',
    details: { problem },
  });
}
