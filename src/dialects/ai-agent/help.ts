import * as z from '../../base/schema/schema.ts';
import { defineRead, type Command } from '../../contract/command.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import type { Parameter } from '../../contract/command-parameters.ts';
import { aiAgentFlags } from './parse-argv.ts';

/** What `--help` runs. */
export function helpCommand(host: DialectHost): Command {
  return telling('--help', async () => renderHelp(await aiAgentFlags(host), host.tool.version));
}

/** What `--version` runs. */
export function versionCommand(host: DialectHost): Command {
  return telling('--version', async () => `ai-agent ${host.tool.version}\n`);
}

function telling(path: string, tell: () => Promise<string>): Command {
  return defineRead({
    path,
    summary: 'Tell about this program',
    params: {},
    output: z.object({ text: z.string() }),
    examples: [path],
    run: async () => ({ text: await tell() }),
    renderRaw: ({ text }) => text,
  });
}

function renderHelp(flags: readonly Parameter[], version: string): string {
  const rows = flags.map((flag): [string, string] => [
    `${flag.flag}${flag.type === 'boolean' ? '' : ` <${valueOf(flag)}>`}`,
    flag.allowed === undefined ? flag.description : `${flag.description}: ${flag.allowed.join(', ')}`,
  ]);
  const width = Math.max(...rows.map(([flag]) => flag.length));
  return `ai-agent ${version}: runs an LLM with tools, within limits, to a report.

Usage
  ai-agent [flags] <system> <user>      each a text or @file; <user> may be - for standard input
  ai-agent [flags] <agent.ai> <user>    a prompt file with settings of its own; it may also be executable

Flags
${rows.map(([flag, description]) => `  ${flag.padEnd(width)}  ${description}`).join('\n')}
  ${'--version'.padEnd(width)}  Tell the version
  ${'--help'.padEnd(width)}  This text

The report goes to standard output, everything else to standard error.
Exit: 0 done, 1 the session failed, 3 tools could not be had, 4 arguments or configuration, 5 schemas.
`;
}

function valueOf({ type, multiple }: Parameter): string {
  if (multiple) return 'a,b,…';
  return type === 'integer' ? 'n' : type === 'number' ? 'x' : type === 'enum' ? 'name' : 'text';
}
