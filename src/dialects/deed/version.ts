import * as v from 'valibot';
import { defineRead, type Command } from '../../contract/command.ts';

/** The command behind `--version`. */
export function versionCommand(): Command {
  return defineRead({
    path: '--version',
    needsNoHome: true,
    summary: 'Show the version of this tool',
    params: {},
    output: v.object({ tool: v.string(), version: v.string() }),
    examples: ['--version'],
    run: async (_params, { tool }) => ({ tool: tool.name, version: tool.version }),
    renderText: ({ tool, version }) => `${tool} ${version}\n`,
    renderRaw: ({ version }) => `${version}\n`,
  });
}
