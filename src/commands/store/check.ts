import * as v from 'valibot';
import { int } from '../../base/schema.ts';
import { checkStoredData, DAMAGED_HINT } from '../../app/check-stored-data.ts';
import { Fault } from '../../base/fault.ts';
import { defineRead } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { withReader } from '../continuity/open-store.ts';

export default defineRead({
  path: 'store check',
  summary: 'Check the database for damage',
  params: STORE_PARAMETERS,
  output: v.object({ path: v.string(), schema_version: int(), sound: v.literal(true) }),
  examples: ['store check'],
  errors: ['E_DAMAGED', 'E_CONFIG'],
  run: (store, context) =>
    withReader(store, context, async (database) => {
      const problems = await checkStoredData(database, context);
      if (problems.length === 0)
        return { path: database.path, schema_version: database.schemaVersion, sound: true as const };
      throw new Fault('E_DAMAGED', `The database ${database.path} is damaged: ${problems[0]}.`, {
        hint: DAMAGED_HINT,
        details: { path: database.path, problems },
      });
    }),
});
