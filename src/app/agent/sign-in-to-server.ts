import type { McpServerSettings } from '../../agent/config/config-schema.ts';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import { agentConfig } from './agent-dependencies.ts';

/** A tool server over HTTP that can be signed in to. */
export interface SignInTarget extends Pick<McpServerSettings, 'oauth'> {
  readonly server: string;
  readonly url: string;
}

/** Returns the configured server with a name. Throws a Fault for a server without a URL. */
export function findSignInTarget(
  { server, config }: { readonly server: string; readonly config?: string | undefined },
  context: CommandContext,
): SignInTarget {
  const loaded = agentConfig(context, config, undefined);
  for (const warning of loaded.warnings) context.warn(warning);
  if (!loaded.serverNames.includes(server))
    throw new Fault('E_NOT_FOUND', `There is no tool server "${server}".`, {
      hint: `Configured: ${loaded.serverNames.join(', ') || 'none'}.`,
      details: { field: 'server', value: server },
    });
  const { url, oauth } = loaded.server(server);
  if (url === undefined)
    throw new Fault(
      'E_VALIDATION',
      `The tool server ${server} has no URL, so there is nothing to sign in to.`,
      {
        hint: 'Only servers over HTTP use OAuth; a program gets its keys from its environment.',
        details: { field: 'server', value: server },
      },
    );
  return { server, url, ...(oauth !== undefined && { oauth }) };
}

/** Signs in to a server: prints the address to open, and waits for the person's consent. */
export async function signInToServer(
  { server, url, oauth }: SignInTarget,
  context: CommandContext,
): Promise<void> {
  const { signIn } = await import('../../agent/tools/oauth/sign-in.ts');
  const { system, home, signal, tool } = context;
  await signIn({
    url,
    resume: `${tool.name} agent login ${server}`,
    folder: `${home.folder()}/sign-ins`,
    onUrl: (address) => context.progress(`Open this address in a browser on this machine: ${address}`),
    fetch: system.fetch,
    signal,
    ...oauth,
  });
}
