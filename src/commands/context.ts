import * as v from 'valibot';
import { record } from '../base/schema.ts';
import { defineRead } from '../contract/command.ts';
import { homeVariable } from '../contract/tool.ts';
import { settingsOf } from '../config/settings-of.ts';

export default defineRead({
  path: 'context',
  summary: 'Show version, account, home, runtime and configuration',
  params: {},
  get output() {
    return v.object({
      env: v.string(),
      version: v.string(),
      account: v.object({
        user: v.string(),
        uid: v.string(),
        host: v.string(),
        agent: v.nullable(v.string()),
      }),
      home: v.object({ path: v.string(), moved_by: v.nullable(v.string()) }),
      runtime: v.object({
        kind: v.picklist(['node', 'standalone']),
        name: v.string(),
        platform: v.string(),
        arch: v.string(),
      }),
      config: record(v.unknown()),
      folder: v.object({ path: v.string(), config: v.picklist(['none', 'untrusted', 'changed', 'trusted']) }),
      credentials: v.object({ configured: v.boolean(), variables: record(v.boolean()) }),
      notices: v.array(record(v.unknown())),
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
      notices: (await notices()).map((notice) => ({ ...notice })),
    };
  },
});
