import { basename } from 'node:path';
import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { openSqlite, readSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import {
  glanceAtStart,
  handleHook,
  HOOK_EVENTS,
  parseHookInput,
} from '../../continuity/hooks/handle-hook.ts';
import { defineRead } from '../../contract/command.ts';
import { deletableSince } from '../../contract/retention.ts';
import { AGENT_PARAMETERS } from '../continuity/define-journal-write.ts';
import { locateStore } from '../../app/locate-store.ts';
import { vybeWords } from '../../app/vybe-program.ts';
import { storePorts } from '../continuity/open-store.ts';

const MAX_INPUT_BYTES = 4 * 1024 * 1024;
/** A session waits for its hooks, so they wait for no other writer longer than this. */
const WAIT_MS = 1000;
/** A host that is busy itself may be late with what it has to say; that holds up nobody but us. */
const INPUT_WAIT_MS = 4000;

/** Events after which old data is deleted. */
const DELETES: ReadonlySet<string> = new Set(['checkpoint', 'session-end']);

/** Only a host's session calls this, through `vybe hook <event>`; it needs no request id, since a host never repeats an event. */
export default defineRead({
  path: 'hook handle',
  summary: 'Record an event of an agent host’s session',
  params: { event: described(v.picklist(HOOK_EVENTS), 'What happened'), ...AGENT_PARAMETERS },
  output: v.object({ output: v.string() }),
  examples: ['hook handle --event session-start'],
  errors: ['E_TIMEOUT', 'E_INTEGRITY'],
  run: async ({ event, agent, ...store }, context) => {
    if (context.system.env.VYBE_DISABLE_HOOKS) return { output: '' };
    const bytes = await context.system.readStdin(MAX_INPUT_BYTES, INPUT_WAIT_MS);
    const input = parseHookInput(Buffer.from(bytes).toString('utf8'));
    const folder = typeof input.cwd === 'string' && input.cwd !== '' ? input.cwd : context.system.cwd;
    const host = input.host === 'opencode' ? 'opencode' : 'claude';
    const call = {
      event,
      input,
      agent: agent ?? `${host}-${basename(folder) || 'root'}`,
      ...(event === 'session-start' && { vybe: vybeWords(context.system) }),
      ...(DELETES.has(event) && {
        deletableSince: new Date(deletableSince(context.home, context.system.clock.now())).toISOString(),
      }),
    };
    const { path } = locateStore(store, context);
    const ports = storePorts(context);
    try {
      return { output: await handleHook(openSqlite(path, { busyTimeoutMs: WAIT_MS }), call, ports) };
    } catch (error) {
      if (event !== 'session-start' || !(error instanceof Fault)) throw error;
      context.warn(`Nothing is remembered of this session’s start: ${error.message}`);
      const output = await readSqlite(path, { busyTimeoutMs: WAIT_MS }, (database) =>
        glanceAtStart(database, call, ports),
      );
      return { output };
    }
  },
  renderRaw: ({ output }) => output,
});
