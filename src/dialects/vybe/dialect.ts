import { idsAsIntegers } from '../../base/integer-ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { escapeJson, printable } from '../../base/text.ts';
import type { Command } from '../../contract/command.ts';
import type { Dialect, DialectHost } from '../../contract/dialect.ts';
import { plainInvocation, type Invocation } from '../../contract/invocation.ts';
import type { Reply } from '../../contract/reply.ts';
import { envelope } from './envelope.ts';
import { parseCall } from './parse-argv.ts';
import type { VybeCommand } from './commands.ts';
import { isHelp, parseCommandPath, type CommandPath } from './command-path.ts';

/** The dialect of the continuity contract: one line of JSON, exit code 0 or 1, log lines on standard error, writes with a request id. */
export const vybeDialect: Dialect = (argv, host) => {
  const log = (level: string, message: string, extra: JsonObject = {}): void =>
    host.output.stderr(
      `${JSON.stringify({ time: new Date(host.system.clock.now()).toISOString(), level, msg: printable(redactText(message)), ...extra })}\n`,
    );
  const path = tryParsePath(argv);
  let invocation: Invocation | undefined;
  return {
    gate: path?.kind === 'command' && path.spec.requestId ? 'request-id' : 'open',
    parse: async () => {
      const named = path ?? parseCommandPath(argv);
      invocation =
        named.kind === 'command' && !isHelpRequested(named.rest)
          ? await parseCall(named.spec, named.rest, host)
          : plainInvocation(await describingCommand(named));
      return invocation;
    },
    progress: (message) => log('info', message),
    warn: (message) => log('warn', message),
    isHelp: () => invocation?.command.path === '--help',
    render: async (reply) => {
      const isHook = path?.kind === 'command' && path.spec.hook === true;
      if (reply.kind === 'fault')
        log('error', reply.fault.message, { code: reply.fault.code, duration_ms: reply.durationMs });
      if (isHook) return renderHook(reply, host);
      return render(reply, path, invocation, host);
    },
  };
};

async function render(
  reply: Reply,
  path: CommandPath | undefined,
  invocation: Invocation | undefined,
  host: DialectHost,
): Promise<number> {
  if (reply.kind === 'stream') throw new Error('streams are not supported by this dialect');
  if (reply.kind === 'value' && reply.raw !== undefined && invocation?.command.path === '--help') {
    const { wrapHelp } = await import('../wrap-help.ts');
    host.output.stdout(wrapHelp(reply.raw(), host.output.columns));
    return 0;
  }
  const show = path?.kind === 'command' ? showOf(path.spec, invocation?.dryRun === true) : undefined;
  const pretty = host.system.env.VYBE_PRETTY_JSON;
  const indent = pretty && pretty !== '0' && pretty !== 'false' ? 2 : 0;
  // The contract has integers as ids of events and memories.
  const answer = envelope(reply, (data) =>
    idsAsIntegers(show?.(data, (reply.kind === 'value' ? (reply.params ?? {}) : {}) as JsonObject) ?? data),
  );
  host.output.stdout(`${escapeJson(JSON.stringify(answer, null, indent))}\n`);
  return reply.kind === 'fault' ? 1 : 0;
}

function showOf({ show, showPreview }: VybeCommand, isDryRun: boolean): VybeCommand['show'] {
  if (!isDryRun) return show;
  return showPreview && ((data) => showPreview(data.preview as JsonObject));
}

/** The host of a hook adds the output to the context of its model; a failure must not stop the session. */
function renderHook(reply: Reply, host: DialectHost): number {
  const text = reply.kind === 'value' ? (reply.raw?.() ?? '') : '';
  if (text !== '') host.output.stdout(text);
  return 0;
}

function tryParsePath(argv: readonly string[]): CommandPath | undefined {
  try {
    return parseCommandPath(argv);
  } catch {
    return undefined;
  }
}

function isHelpRequested(rest: readonly string[]): boolean {
  return rest.some(isHelp);
}

async function describingCommand(named: CommandPath): Promise<Command> {
  const { helpCommand, helpTextCommand, indexCommand, namespaceCommand, schemaCommand, versionCommand } =
    await import('./describe.ts');
  if (isHelpRequested(named.rest)) return helpTextCommand(named.kind === 'index' ? '' : named.path);
  switch (named.kind) {
    case 'index':
      return named.rest.includes('--version') || named.rest.includes('-v')
        ? versionCommand()
        : indexCommand();
    case 'namespace':
      return namespaceCommand(named.path);
    case 'own': {
      if (named.path === 'schema commands') return schemaCommand();
      const topic = named.rest.filter((word) => !word.startsWith('-')).join(' ');
      return topic === '' ? indexCommand() : helpCommand(topic);
    }
    case 'command':
      return helpCommand(named.path);
  }
}
