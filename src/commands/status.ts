import { existsSync, statSync } from 'node:fs';
import * as z from '../base/schema/schema.ts';
import { Fault } from '../base/fault.ts';
import { isInstalled, type HookHost } from '../continuity/hooks/hook-files.ts';
import { readStatus } from '../continuity/store/read-status.ts';
import { defineRead, type CommandContext } from '../contract/command.ts';
import { AGENT_PARAMETERS } from './continuity/define-journal-write.ts';
import { locateStore } from '../app/locate-store.ts';
import { agentOf, withReader } from './continuity/open-store.ts';

export default defineRead({
  path: 'status',
  summary: 'Show the state of the store, the hooks and an agent',
  description:
    'Show the state of the store, the hooks and an agent. Trouble is told in the answer, not by failing',
  params: {
    check: z.described(z._default(z.boolean(), false), 'Also look through the whole database for damage'),
    ...AGENT_PARAMETERS,
  },
  output: z.object({
    db: z.object({
      path: z.string(),
      source: z.string(),
      exists: z.boolean(),
      ok: z.boolean(),
      schema_version: z.nullable(z.int()),
      size_bytes: z.int(),
      error: z.optional(z.object({ code: z.string(), message: z.string() })),
      problems: z.optional(z.array(z.string())),
    }),
    hooks: z.object({ claude: z.boolean(), opencode: z.boolean() }),
    maintenance: z.nullable(z.object({ expired_memories: z.int(), stored_requests: z.int() })),
    counts: z.nullable(
      z.object({
        tasks: z.object({ pending: z.int(), in_progress: z.int(), completed: z.int(), blocked: z.int() }),
        events: z.int(),
        memories: z.int(),
        artifacts: z.int(),
      }),
    ),
    agent_name: z.string(),
    agent_state: z.array(
      z.object({
        project_id: z.nullable(z.string()),
        cursor: z.int(),
        focus_task_id: z.nullable(z.string()),
        updated_at: z.string(),
      }),
    ),
    diagnostics: z.array(
      z.object({ code: z.string(), message: z.string(), task_id: z.string(), agent_name: z.string() }),
    ),
    _untrusted: z.optional(z.array(z.string())),
  }),
  untrusted: ['agent_state[].project_id', 'diagnostics[].agent_name'],
  examples: ['status', 'status --check --agent claude-app'],
  run: async ({ check, agent, ...store }, context) => {
    const { path, source } = locateStore(store, context);
    const who = agentOf({ agent }, context);
    const exists = existsSync(path);
    const db = { path, source, exists, size_bytes: exists ? statSync(path).size : 0 };
    const common = { hooks: hooksOf(context), agent_name: who };
    try {
      return await withReader(store, context, async (database, at) => {
        const problems = check ? await database.check() : undefined;
        return {
          db: {
            ...db,
            ok: exists && (problems?.length ?? 0) === 0,
            schema_version: exists ? database.schemaVersion : null,
            ...(problems && { problems }),
          },
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
        ...common,
        ...nothing,
      };
    }
  },
});

function hooksOf({ system }: CommandContext): Record<HookHost, boolean> {
  const installed = (host: HookHost): boolean =>
    [true, false].some((project) => {
      try {
        return isInstalled(host, { userHome: system.userHome, cwd: system.cwd, env: system.env, project });
      } catch {
        // A file that cannot be read or understood holds no hooks of ours.
        return false;
      }
    });
  return { claude: installed('claude'), opencode: installed('opencode') };
}
