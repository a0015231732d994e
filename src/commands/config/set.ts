import { ownMember } from '../../base/own-member.ts';
import * as v from 'valibot';
import { described, number, record } from '../../base/schema.ts';
import { changeConfigFile, readConfigFile } from '../../config/config-file.ts';
import { checkSetting, homeConfigPath } from '../../config/read-settings.ts';
import type { SettingValue } from '../../config/setting-table.ts';
import { defineWrite } from '../../contract/command.ts';
import { refusedToken } from '../../contract/confirm-token.ts';
import { isPlainObject, type JsonValue } from '../../base/json.ts';
import { Fault } from '../../base/fault.ts';
import { requireSetting } from '../command-settings.ts';

const isName = (key: string): boolean => !key.includes('=');
const NAME_AND_VALUE = 'has a name and a value; pass them as two arguments, with a space instead of =';

export default defineWrite({
  path: 'config set',
  summary: 'Set one setting in the home configuration',
  params: {
    key: described(
      v.pipe(v.string(), v.check(isName, NAME_AND_VALUE)),
      'The setting, for example list.limit',
    ),
    value: described(
      v.union([v.string(), number(), v.boolean(), v.array(v.string()), record(v.unknown())]),
      'The value; on the command line, arrays, objects and booleans as JSON, or an array as comma-separated words',
    ),
  },
  positionals: ['key', 'value'],
  output: v.object({
    key: v.string(),
    value: v.unknown(),
    previous: v.unknown(),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['config set list.limit 100 --dry-run', 'config set list.limit 100 --confirm <token>'],
  errors: ['E_NOT_FOUND'],
  plan: async ({ key, value }, context) => {
    const setting = requireSetting(context, key);
    const next = checkSetting(
      key,
      setting,
      typeof value === 'string' ? parseSettingText(setting.defaultValue, value) : value,
    );
    await checkMeaning(key, next);
    const { values, version } = readConfigFile(homeConfigPath(context.home.path));
    const previous = (ownMember(values, key) ?? null) as JsonValue;
    return {
      changes: [
        {
          action: 'set',
          resource: 'setting',
          id: key,
          before: { value: previous },
          after: { value: next },
          version,
        },
      ],
      next,
      previous,
      version,
    };
  },
  run: async ({ key }, { home }, { next, previous, version }) => {
    await changeConfigFile(homeConfigPath(home.path), (current) => {
      if (current.version !== version)
        throw refusedToken('changed', 'The configuration changed since the plan was made.');
      return { ...current.values, [key]: next };
    });
    return { key, value: next, previous };
  },
});

/** The agents of work items have kinds and members that only the work part knows. */
async function checkMeaning(key: string, value: SettingValue): Promise<void> {
  if (key !== 'work.agents' || !isPlainObject(value)) return;
  const { checkAgents } = await import('../../work/executors/agent-config.ts');
  try {
    checkAgents(value);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { message, hint, details } = error;
    throw new Fault('E_VALIDATION', message, { hint, details: { ...details, field: 'value' } });
  }
}

/** A setting that is not a string is parsed as JSON; an array can also be comma-separated words. */
function parseSettingText(example: SettingValue, text: string): unknown {
  if (typeof example === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return Array.isArray(example) ? text.split(',').map((part) => part.trim()) : text;
  }
}
