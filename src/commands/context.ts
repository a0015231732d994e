import * as z from '../base/schema/schema.ts';
import { defineRead } from '../contract/command.ts';
import { homeVariable } from '../contract/tool.ts';
import { settingsOf } from './command-settings.ts';

export default defineRead({
  path: 'context',
  summary: 'Show where and as whom this tool runs',
  params: {},
  get output() {
    return z.object({
      env: z.string(),
      version: z.string(),
      account: z.object({
        user: z.string(),
        uid: z.string(),
        host: z.string(),
        agent: z.nullable(z.string()),
      }),
      home: z.object({ path: z.string(), moved_by: z.nullable(z.string()) }),
      runtime: z.object({
        kind: z.enum(['node', 'standalone']),
        name: z.string(),
        platform: z.string(),
        arch: z.string(),
      }),
      config: z.record(z.string(), z.unknown()),
      folder: z.object({ path: z.string(), config: z.enum(['none', 'untrusted', 'changed', 'trusted']) }),
      credentials: z.object({ configured: z.boolean(), variables: z.record(z.string(), z.boolean()) }),
      notices: z.array(z.record(z.string(), z.unknown())),
    });
  },
  examples: ['context', 'context --fields version,credentials --compact'],
  run: async (_params, context) => {
    const { tool, home, system, caller, notices } = context;
    const settings = settingsOf(context);
    const variables = Object.fromEntries(
      (tool.credentialVariables ?? []).map((name) => [name, Boolean(system.env[name])]),
    );
    const variable = homeVariable(tool);
    return {
      env: system.env.CI ? 'ci' : 'local',
      version: tool.version,
      account: {
        user: caller.account.user,
        uid: String(caller.account.uid),
        host: caller.account.host,
        agent: caller.agent,
      },
      home: { path: home.path, moved_by: system.env[variable] ? variable : null },
      runtime: {
        // Programs that use the library run on Node.
        kind: system.executable.runtime.startsWith('node ') ? ('node' as const) : ('standalone' as const),
        name: system.executable.runtime,
        platform: system.platform,
        arch: system.arch,
      },
      config: Object.fromEntries(settings.names.map((name) => [name, settings.get(name).value])),
      folder: { path: system.cwd, config: settings.trust.state },
      credentials: { configured: Object.values(variables).some(Boolean), variables },
      notices: notices().map((notice) => ({ ...notice })),
    };
  },
});
