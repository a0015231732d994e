import type * as v from 'valibot';
import { triageFolder } from '../../app/triage-folder.ts';
import { chooseId, MAX_CANDIDATES } from '../../contract/id-prefix.ts';
import { acceptIdPrefixes } from '../../contract/resolve-ids.ts';
import { isSessionId } from '../../triage/session/session-id.ts';
import { openSessionStore } from '../../triage/session/session-store.ts';

const TYPE = 'sess-';

/** A parameter with the id of a triage session, or a unique prefix of it; `pt` takes only full ids, as its contract requires. */
export function sessionId<T extends v.GenericSchema>(schema: T): T {
  return acceptIdPrefixes(schema, async ({ field, value, context }) => {
    const given = String(value);
    if (isSessionId(given) || context.gate === 'open') return given;
    const body = given.startsWith(TYPE) ? given.slice(TYPE.length) : given;
    const prefix = { field, given, full: `${TYPE}${body}`, length: body.length };
    const store = openSessionStore(triageFolder(context.system.userHome), context.system.clock.now);
    const ids = store.list().filter((id) => id.startsWith(prefix.full));
    return (
      chooseId(
        prefix,
        ids.slice(0, MAX_CANDIDATES + 1).map((id) => ({ id })),
      ) ?? given
    );
  });
}
