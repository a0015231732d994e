import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { checkStoredData, DAMAGED_HINT } from '../../app/check-stored-data.ts';
import { Fault } from '../../base/fault.ts';
import { defineRead } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { withReader } from '../continuity/open-store.ts';

export default defineRead({
  path: 'store check',
  summary: 'Check the database for damage',
  params: {
    quick: described(
      v.optional(v.boolean(), false),
      'Check every page, but not whether the indexes match their tables',
    ),
    ...STORE_PARAMETERS,
  },
  output: v.object({ path: v.string(), schema_version: int(), sound: v.literal(true) }),
  examples: ['store check', 'store check --quick'],
  errors: ['E_DAMAGED', 'E_CONFIG'],
  run: ({ quick, ...store }, context) =>
    withReader(store, context, async (database) => {
      const onProgress = context.progress;
      const problems = await checkStoredData(database, context, {
        depth: quick ? 'quick' : 'full',
        onProgress,
      });
      if (problems.length === 0)
        return { path: database.path, schema_version: database.schemaVersion, sound: true as const };
      throw new Fault('E_DAMAGED', `The database ${database.path} is damaged: ${problems[0]}.`, {
        hint: DAMAGED_HINT,
        details: { path: database.path, problems },
      });
    }),
});
