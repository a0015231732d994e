import * as z from '../../base/schema/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { requireSetting, settingsOf } from '../command-settings.ts';

export default defineRead({
  path: 'config get',
  summary: 'Show one setting and where its value comes from',
  params: { key: z.described(z.string(), 'The setting, for example list.limit') },
  positionals: ['key'],
  output: z.object({
    key: z.string(),
    value: z.unknown(),
    source: z.enum(['default', 'home', 'folder']),
    default: z.unknown(),
    description: z.string(),
  }),
  examples: ['config get list.limit', 'config get --key update.notices'],
  errors: ['E_NOT_FOUND'],
  run: async ({ key }, context) => {
    const { defaultValue, description } = requireSetting(context, key);
    const { value, source } = settingsOf(context).get(key);
    return { key, value, source, default: defaultValue, description };
  },
});
