import * as v from 'valibot';
import { recordChosenStore } from '../../app/chosen-store.ts';
import { STORE_URL, homeStore } from '../../app/locate-store.ts';
import { Fault } from '../../base/fault.ts';
import { described, int } from '../../base/schema.ts';
import { changeConfigFile, readConfigFile } from '../../config/config-file.ts';
import { homeConfigPath } from '../../config/read-settings.ts';
import { openStore, readStoreVersion } from '../../continuity/database/open-store.ts';
import { assertNoPassword, isPostgresUrl } from '../../continuity/database/store-address.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { refusedToken } from '../../contract/confirm-token.ts';
import { openOptions } from '../continuity/open-store.ts';
import { pathText } from '../continuity/text-parameters.ts';

/** The word for the file in the home. */
const HOME = 'home';

export default defineWrite({
  path: 'store use',
  summary: 'Use a store on Postgres, or switch back to the file in the home',
  description:
    'Connects to the database, creates or migrates its tables if its user has the rights, and saves the URL as the setting store.url. Nothing is copied; see "store copy". ' +
    'The password comes from DEED_STORE_PASSWORD or from ?password_file=<file>, never from the URL',
  params: {
    address: described(pathText, 'postgres://user@host:port/database, or "home" for the file in the home'),
  },
  positionals: ['address'],
  output: v.object({
    address: v.string(),
    previous: v.string(),
    schema_version: described(v.nullable(int()), 'null for a file that does not exist yet'),
    replayed: v.optional(v.literal(true)),
  }),
  examples: [
    'store use "postgres://deed@db.example.com/deed?password_file=/etc/deed/password" --dry-run',
    'store use home --confirm <token>',
  ],
  errors: ['E_AUTH', 'E_CONFIG', 'E_FORBIDDEN', 'E_NETWORK', 'E_TIMEOUT'],
  plan: async ({ address }, context) => {
    const next = addressOf(address, context);
    const version = await readStoreVersion(next, openOptions(context));
    const config = readConfigFile(homeConfigPath(context.home.path));
    return {
      changes: [
        {
          action: 'use',
          resource: 'store',
          id: next,
          before: { address: homeStore(context.home) },
          after: { schema_version: version ?? null },
          version: config.version,
        },
      ],
      configVersion: config.version,
    };
  },
  run: async ({ address }, context, { configVersion }) => {
    const next = addressOf(address, context);
    const previous = homeStore(context.home);
    if (isPostgresUrl(next)) {
      const database = await openStore(next, openOptions(context));
      // A write creates the store, or migrates it.
      await database.transaction(async () => undefined);
    }
    await changeConfigFile(homeConfigPath(context.home.path), (current) => {
      if (current.version !== configVersion)
        throw refusedToken('changed', 'The configuration changed since the plan was made.');
      const { [STORE_URL]: _, ...others } = current.values;
      return isPostgresUrl(next) ? { ...others, [STORE_URL]: next } : others;
    });
    recordChosenStore(context.home, isPostgresUrl(next) ? next : undefined);
    const version = await readStoreVersion(next, openOptions(context));
    return { address: next, previous, schema_version: version ?? null };
  },
});

function addressOf(address: string, { home }: CommandContext): string {
  if (address === HOME) return home.at('deed.db');
  if (isPostgresUrl(address)) {
    assertNoPassword(address);
    return address;
  }
  throw new Fault('E_VALIDATION', `"${address}" is not a Postgres URL.`, {
    hint: 'Pass postgres://user@host/database, or "home". For another file, pass --db-path or set VYBE_DB_PATH.',
    details: { field: 'address' },
  });
}
