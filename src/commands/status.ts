import { existsSync, statSync } from 'node:fs';
import * as v from 'valibot';
import { described, int } from '../base/schema.ts';
import { Fault } from '../base/fault.ts';
import { readStoreVersion } from '../continuity/database/open-store.ts';
import { isPostgresUrl } from '../continuity/database/store-address.ts';
import { isInstalled, type HookHost } from '../continuity/hooks/hook-files.ts';
import { readStatus } from '../continuity/store/read-status.ts';
import { defineRead, type CommandContext } from '../contract/command.ts';
import { CALLER_PARAMETERS } from './continuity/define-journal-write.ts';
import { locateStore } from '../app/locate-store.ts';
import { agentOf, openOptions, withReader } from './continuity/open-store.ts';

export default defineRead({
  path: 'status',
  summary: 'Show the state of the store, the hooks and an agent',
  description:
    'Show the state of the store, the hooks and an agent. Problems are reported in the answer and do not make the command fail',
  params: {
    check: described(v.optional(v.boolean(), false), 'Also check the whole database for damage'),
    ...CALLER_PARAMETERS,
  },
  output: v.object({
    db: v.object({
      path: v.string(),
      source: v.string(),
      exists: v.boolean(),
      ok: v.boolean(),
      schema_version: v.nullable(int()),
      size_bytes: int(),
      error: v.optional(v.object({ code: v.string(), message: v.string() })),
      problems: v.optional(v.array(v.string())),
    }),
    query_ok: v.boolean(),
    hooks: v.object({ claude: v.boolean(), opencode: v.boolean() }),
    maintenance: v.nullable(v.object({ expired_memories: int(), stored_requests: int() })),
    counts: v.nullable(
      v.object({
        tasks: v.object({ pending: int(), in_progress: int(), completed: int(), blocked: int() }),
        events: int(),
        memories: int(),
        artifacts: int(),
      }),
    ),
    agent_name: v.string(),
    agent_state: v.array(
      v.object({
        project_id: v.nullable(v.string()),
        cursor: v.string(),
        focus_task_id: v.nullable(v.string()),
        updated_at: v.string(),
      }),
    ),
    diagnostics: v.array(
      v.object({ code: v.string(), message: v.string(), task_id: v.string(), agent_name: v.string() }),
    ),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['agent_state[].project_id', 'diagnostics[].agent_name'],
  examples: ['status', 'status --check --agent claude-app'],
  run: async ({ check, agent, ...store }, context) => {
    const { path, source } = locateStore(store, context);
    const who = agentOf({ agent }, context);
    const size_bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const common = { hooks: hooksOf(context), agent_name: who };
    let db = { path, source, exists: existsSync(path), size_bytes };
    try {
      const exists = db.exists || (await isSharedStore(path, context));
      db = { ...db, exists };
      return await withReader(store, context, async (database, at) => {
        const problems = check ? await database.check() : undefined;
        return {
          db: {
            ...db,
            ok: exists && (problems?.length ?? 0) === 0,
            schema_version: exists ? database.schemaVersion : null,
            ...(problems && { problems }),
          },
          query_ok: true,
          ...common,
          ...(await readStatus(database, at, who)),
        };
      });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { code, message } = error;
      const nothing = { maintenance: null, counts: null, agent_state: [], diagnostics: [] };
      return {
        db: { ...db, ok: false, schema_version: null, error: { code, message } },
        query_ok: false,
        ...common,
        ...nothing,
      };
    }
  },
});

/** Whether the address is a database on Postgres that contains a store. */
async function isSharedStore(path: string, context: CommandContext): Promise<boolean> {
  return isPostgresUrl(path) && (await readStoreVersion(path, openOptions(context))) !== undefined;
}

function hooksOf({ system }: CommandContext): Record<HookHost, boolean> {
  const installed = (host: HookHost): boolean =>
    [true, false].some((project) => {
      try {
        return isInstalled(host, { userHome: system.userHome, cwd: system.cwd, env: system.env, project });
      } catch {
        // A file that cannot be read or parsed contains no vybe hooks.
        return false;
      }
    });
  return { claude: installed('claude'), opencode: installed('opencode') };
}
