import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { settingsOf } from '../../config/settings-of.ts';
import { requireSetting } from '../command-settings.ts';

export default defineRead({
  path: 'config get',
  summary: 'Show one setting and where its value comes from',
  params: { key: described(v.string(), 'The setting, for example list.limit') },
  positionals: ['key'],
  output: v.object({
    key: v.string(),
    value: v.unknown(),
    source: v.picklist(['default', 'home', 'folder']),
    default: v.unknown(),
    description: v.string(),
  }),
  examples: ['config get list.limit', 'config get --key update.notices'],
  errors: ['E_NOT_FOUND'],
  run: async ({ key }, context) => {
    const { defaultValue, description } = requireSetting(context, key);
    const { value, source } = settingsOf(context).get(key);
    return { key, value, source, default: defaultValue, description };
  },
});
