import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { defineWrite } from '../../contract/command.ts';

export default defineWrite({
  path: 'agent login',
  summary: 'Sign in to a tool server with OAuth',
  description:
    'Prints an address to open in a browser on this machine and waits for consent. The token is kept in the home, used by all agents for this server, and refreshed',
  params: {
    server: described(v.string(), 'The name of the tool server in mcpServers'),
    config: described(v.optional(v.string()), 'Configuration file with the highest priority'),
  },
  positionals: ['server'],
  output: v.object({ server: v.string(), url: v.string(), replayed: v.optional(v.literal(true)) }),
  examples: ['agent login linear --dry-run', 'agent login linear --confirm <token>'],
  errors: ['E_AUTH', 'E_CONFIG', 'E_NOT_FOUND', 'E_VALIDATION', 'E_HUMAN_REQUIRED', 'E_INTERRUPTED'],
  plan: async (params, context) => {
    const { findSignInTarget } = await import('../../app/agent/sign-in-to-server.ts');
    const target = findSignInTarget(params, context);
    return {
      changes: [
        { action: 'sign_in', resource: 'tool_server', id: params.server, after: { url: target.url } },
      ],
      target,
    };
  },
  run: async ({ server }, context, { target }) => {
    const { signInToServer } = await import('../../app/agent/sign-in-to-server.ts');
    await signInToServer(target, context);
    return { server, url: target.url };
  },
});
