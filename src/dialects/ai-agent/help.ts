import * as v from 'valibot';
import { defineRead, type Command } from '../../contract/command.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import type { Parameter } from '../../contract/command-parameters.ts';
import { wrapHelp } from '../wrap-help.ts';
import { aiAgentFlags } from './parse-argv.ts';

/** Returns the command that `--help` runs. */
export function helpCommand(host: DialectHost): Command {
  return printCommand('--help', async () =>
    wrapHelp(renderHelp(await aiAgentFlags(host), host.tool.version), host.output.columns),
  );
}

/** Returns the command that `--version` runs. */
export function versionCommand(host: DialectHost): Command {
  return printCommand('--version', async () => `ai-agent ${host.tool.version}\n`);
}

function printCommand(path: string, render: () => Promise<string>): Command {
  return defineRead({
    path,
    summary: 'Print information about this program',
    params: {},
    output: v.object({ text: v.string() }),
    examples: [path],
    run: async () => ({ text: await render() }),
    renderRaw: ({ text }) => text,
  });
}

function renderHelp(flags: readonly Parameter[], version: string): string {
  const rows = flags.map((flag): [string, string] => [
    `${flag.flag}${flag.type === 'boolean' ? '' : ` <${valueOf(flag)}>`}`,
    flag.allowed === undefined ? flag.description : `${flag.description}: ${flag.allowed.join(', ')}`,
  ]);
  const width = Math.max(...rows.map(([flag]) => flag.length));
  return `ai-agent ${version}: runs an LLM agent with tools and limits, and prints its report.

Usage
  ai-agent [flags] <system> <user>      each is text or @file; one may be - for standard input
  ai-agent [flags] <agent.ai> <user>    a prompt file with its own settings; it may be executable

Flags
${rows.map(([flag, description]) => `  ${flag.padEnd(width)}  ${description}`).join('\n')}
  ${'--version'.padEnd(width)}  Print the version
  ${'--help'.padEnd(width)}  Print this help

The report goes to standard output, everything else to standard error.
Exit codes: 0 success, 1 session failed, 3 tools unavailable, 4 invalid arguments or configuration, 5 invalid schema.
`;
}

function valueOf({ type, multiple }: Parameter): string {
  if (multiple) return 'a,b,…';
  return type === 'integer' ? 'n' : type === 'number' ? 'x' : type === 'enum' ? 'name' : 'text';
}
