import * as v from 'valibot';
import { defineRead } from '../../contract/command.ts';
import { addTotal, cutPage, PAGE_PARAMETERS, pageOf, readCursor } from '../../contract/paging.ts';
import { settingsOf } from '../../config/settings-of.ts';
import { pageLimit, requireSetting } from '../command-settings.ts';

export default defineRead({
  path: 'config list',
  summary: 'List every setting with its value',
  params: PAGE_PARAMETERS,
  output: pageOf(
    v.object({
      key: v.string(),
      value: v.unknown(),
      source: v.picklist(['default', 'home', 'folder']),
      scope: v.picklist(['home', 'folder']),
      description: v.string(),
    }),
  ),
  sort: 'key ascending',
  keyFields: ['key', 'value'],
  examples: ['config list', 'config list --fields key,value --compact'],
  run: async (params, context) => {
    const settings = settingsOf(context);
    const after = readCursor(params, {});
    const rows = settings.names
      .filter((name) => after === undefined || name > after)
      .map((name) => {
        const { scope, description } = requireSetting(context, name);
        return { key: name, ...settings.get(name), scope, description };
      });
    const page = { ...params, limit: pageLimit(context, params.limit) };
    return addTotal(
      cutPage(rows, page, {}, ({ key }) => key),
      page,
      () => settings.names.length,
    );
  },
});
