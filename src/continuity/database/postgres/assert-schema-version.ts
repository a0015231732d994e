import { Fault } from '../../../base/fault.ts';
import { POSTGRES_SCHEMA_VERSION } from './postgres-migrations.ts';

/** Throws unless the store has the schema of this program. */
export function assertSchemaVersion(url: string, version: number): void {
  if (version === POSTGRES_SCHEMA_VERSION) return;
  const details = { path: url, schema_version: version, supported: POSTGRES_SCHEMA_VERSION };
  if (version > POSTGRES_SCHEMA_VERSION)
    throw new Fault('E_CONFIG', `The store ${url} was written by a newer version of this program.`, {
      hint: 'Run "deed update".',
      details,
      unchanged: true,
    });
  throw new Fault('E_CONFIG', `The store ${url} has schema version ${version}.`, {
    hint: 'Migrate it as its owner: "deed store upgrade --dry-run".',
    details: { ...details, reason: TOO_OLD },
    unchanged: true,
  });
}

const TOO_OLD = 'too-old';

/** Whether a store must be migrated first. */
export function isTooOld(error: unknown): boolean {
  return error instanceof Fault && error.details['reason'] === TOO_OLD;
}
