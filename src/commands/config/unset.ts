import { ownMember } from '../../base/own-member.ts';
import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import type { JsonValue } from '../../base/json.ts';
import { changeConfigFile, readConfigFile } from '../../config/config-file.ts';
import { homeConfigPath } from '../../config/read-settings.ts';
import type { Change } from '../../contract/plan.ts';
import type { Tool } from '../../contract/tool.ts';
import { defineBatch } from '../../contract/command.ts';

export default defineBatch({
  path: 'config unset',
  summary: 'Reset settings to their defaults',
  params: { keys: described(v.array(v.string()), 'The settings to unset') },
  aliases: { key: { of: 'keys', deprecated: true } },
  positionals: ['keys'],
  targets: 'keys',
  action: 'unset',
  itemOutput: { previous: v.optional(v.unknown()) },
  examples: [
    'config unset --keys list.limit,update.notices --dry-run',
    'config unset --keys list.limit,update.notices --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  plan: async ({ keys }, { home, tool }) => {
    const { values } = readConfigFile(homeConfigPath(home.path));
    return keys.map((key) => {
      if (!Object.hasOwn(values, key)) return notSet(key, tool);
      const after = ownMember(tool.settings, key)?.defaultValue ?? null;
      const before = values[key] as JsonValue;
      return {
        action: 'unset',
        resource: 'setting',
        id: key,
        before: { value: before },
        after: { value: after },
        version: versionOf(before),
      };
    });
  },
  apply: async (changes, _params, { home, tool }) => {
    const outcomes: ({ previous: JsonValue } | Fault)[] = [];
    await changeConfigFile(homeConfigPath(home.path), ({ values }) => {
      const next = { ...values };
      for (const change of changes) outcomes.push(unset(change, next, tool));
      return next;
    });
    return outcomes;
  },
});

function unset(change: Change, values: Record<string, unknown>, tool: Tool): { previous: JsonValue } | Fault {
  if (!Object.hasOwn(values, change.id)) return notSet(change.id, tool);
  const previous = values[change.id] as JsonValue;
  if (versionOf(previous) !== change.version)
    return new Fault('E_CONFLICT', `"${change.id}" changed since the plan was made.`, {
      hint: 'Run the dry run again.',
    });
  delete values[change.id];
  return { previous };
}

function versionOf(value: JsonValue): string {
  return JSON.stringify(value);
}

function notSet(key: string, { settings }: Tool): Fault {
  const suggestion = Object.hasOwn(settings, key) ? undefined : nearest(key, Object.keys(settings));
  const meant = suggestion === undefined ? '.' : `; did you mean "${suggestion}"?`;
  return new Fault('E_NOT_FOUND', `"${key}" is not set in the home configuration${meant}`, {
    hint: 'Run "config list" to see what is set.',
    details: { field: 'keys', value: key },
  });
}
