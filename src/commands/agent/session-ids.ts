import { readdirSync } from 'node:fs';
import type * as v from 'valibot';
import { chooseId, MAX_CANDIDATES } from '../../contract/id-prefix.ts';
import { acceptIdPrefixes } from '../../contract/resolve-ids.ts';

const WHOLE = /^[0-9a-f]{32}$/u;

/** A parameter with the id of a stored agent session, or a unique prefix of it. */
export function agentSessionId<T extends v.GenericSchema>(schema: T): T {
  return acceptIdPrefixes(schema, async ({ field, value, context }) => {
    const given = String(value);
    if (WHOLE.test(given)) return given;
    const prefix = { field, given, full: given, length: given.length };
    const ids = idsIn(context.home.at('sessions')).filter((id) => id.startsWith(given));
    const candidates = ids.slice(0, MAX_CANDIDATES + 1).map((id) => ({ id }));
    return chooseId(prefix, candidates) ?? given;
  });
}

function idsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => /^([0-9a-f]{32})\.jsonl$/u.exec(name)?.[1] ?? []);
  } catch {
    return [];
  }
}
