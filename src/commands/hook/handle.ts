import { basename } from 'node:path';
import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { excerpt, printable } from '../../base/text.ts';
import { openStore, readStore } from '../../continuity/database/open-store.ts';
import { readSessionStart, handleHook, HOOK_EVENTS } from '../../continuity/hooks/handle-hook.ts';
import { readSessionFolder } from '../../continuity/hooks/session-folder.ts';
import { parseHookInput } from '../../continuity/hooks/hook-input.ts';
import { defineRead, type CommandContext } from '../../contract/command.ts';
import { deletableSince } from '../../contract/deletable-since.ts';
import { CALLER_PARAMETERS } from '../continuity/define-journal-write.ts';
import { cleanIfDue } from '../../app/retention/clean-if-due.ts';
import { locateStore, storePassword, type StoreChoice } from '../../app/locate-store.ts';
import { projectOf } from '../../app/project-of.ts';
import { storeRecord } from '../../app/store-record.ts';
import { vybeCommandLine } from '../../app/vybe-program.ts';
import { storePorts } from '../continuity/open-store.ts';

/** The session of the host; another session of the same agent cannot change the tasks that this one has claimed. */
function sessionOf({ session_id }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof session_id === 'string' && session_id !== ''
    ? printable(excerpt(session_id, 128))
    : undefined;
}

/** The project of the folder, if it has another id than its path. */
async function namedProject(
  store: StoreChoice,
  folder: string,
  context: CommandContext,
): Promise<{ readonly project?: string }> {
  const project = await projectOf(context, folder, store);
  return project === null || project === folder ? {} : { project };
}

/** The hosts whose hooks call this. */
const HOOK_HOSTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
const MAX_INPUT_BYTES = 4 * 1024 * 1024;
/** The host waits for its hooks, so they wait only this long for another writer. */
const WAIT_MS = 1000;
/** A busy host may send the input late; waiting for it blocks only this process. */
const INPUT_WAIT_MS = 4000;

/** Events that render a brief. */
const USES_BRIEF: ReadonlySet<string> = new Set(['session-start', 'checkpoint']);

/** Events that delete old data. */
const DELETES: ReadonlySet<string> = new Set(['checkpoint', 'session-end']);

/** What the agent has to know of a store that lost writes, whose brief looks like that of a new project. The user decides what to do. */
function noticeOf({ message, details }: Fault): string {
  if (details.reason !== 'lost-writes') return '';
  return `Tell the user that this session is not recorded and that earlier records are missing below, because of this problem, which "deed store restore --dry-run" explains: ${printable(excerpt(message, 500))}\n\n`;
}

/** Called only by agent hosts, through `vybe hook <event>`. It needs no request id, because a host never repeats an event. */
export default defineRead({
  path: 'hook handle',
  summary: 'Record an event of an agent host session',
  params: {
    event: described(v.picklist(HOOK_EVENTS), 'The event'),
    host: described(
      v.optional(v.picklist(HOOK_HOSTS)),
      'The agent host (default: as in the input, or claude)',
    ),
    ...CALLER_PARAMETERS,
  },
  output: v.object({ output: v.string() }),
  examples: ['hook handle --event session-start'],
  errors: ['E_TIMEOUT', 'E_DAMAGED'],
  run: async ({ event, host: namedHost, agent, ...store }, context) => {
    if (context.system.env.VYBE_DISABLE_HOOKS) return { output: '' };
    const bytes = await context.system.readStdin(MAX_INPUT_BYTES, INPUT_WAIT_MS);
    const input = parseHookInput(Buffer.from(bytes).toString('utf8'));
    const folder = typeof input.cwd === 'string' && input.cwd !== '' ? input.cwd : context.system.cwd;
    const host = namedHost ?? (input.host === 'opencode' ? 'opencode' : 'claude');
    const named = await namedProject(store, folder, context);
    const callIn = (began: string) => ({
      event,
      input,
      agent: agent ?? `${host}-${basename(began) || 'root'}`,
      claimSession: context.caller.session ?? sessionOf(input),
      ...(began !== folder && { project: began }),
      ...named,
      ...(USES_BRIEF.has(event) && { vybe: vybeCommandLine(context.system) }),
      ...(DELETES.has(event) && {
        deletableSince: new Date(deletableSince(context.home, context.system.clock.now())).toISOString(),
      }),
    });
    const { path } = locateStore(store, context);
    const ports = storePorts(context);
    const access = { busyTimeoutMs: WAIT_MS, ...storePassword(context) };
    try {
      const record = storeRecord(context.home, path, context.system.clock.now);
      const database = await openStore(path, { ...access, record });
      const began = await readSessionFolder(database, input, folder);
      const output = await handleHook(database, callIn(began), ports);
      if (event === 'session-end') await cleanIfDue(context);
      return { output };
    } catch (error) {
      if (event !== 'session-start' || !(error instanceof Fault)) throw error;
      context.warn(`The start of this session is not recorded: ${error.message}`);
      const output = await readStore(path, access, (database) =>
        readSessionStart(database, { ...callIn(folder), notice: noticeOf(error) }, ports),
      );
      return { output };
    }
  },
  renderRaw: ({ output }) => output,
});
