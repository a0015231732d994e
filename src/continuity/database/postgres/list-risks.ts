import { ownMember } from '../../../base/own-member.ts';
import type { PoolClient } from 'pg';

/** Settings of Postgres that must be on, and what happens if they are off. */
const REQUIRED: Readonly<Record<string, string>> = {
  fsync: 'the store may be damaged',
  full_page_writes: 'the store may be damaged',
  synchronous_commit: 'the last writes may be lost',
};

/** Lists settings by which the server may lose acknowledged writes when its machine fails. */
export async function listRisks(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query(
    "SELECT name FROM pg_settings WHERE name = ANY($1) AND setting = 'off' ORDER BY name",
    [Object.keys(REQUIRED)],
  );
  return rows.map(
    ({ name }) => `${name} is off, so ${ownMember(REQUIRED, name as string)} when the server fails`,
  );
}
