import * as v from 'valibot';
import { defineRead, type Command, type CommandContext } from '../../contract/command.ts';
import { ptParameters, verbsOf } from './parse-argv.ts';

/** The command behind `--help`. */
export function helpCommand(verb: string | undefined): Command {
  return defineRead({
    path: '--help',
    needsNoHome: true,
    summary: 'Show help',
    params: {},
    output: v.object({ help: v.string() }),
    examples: ['--help'],
    selfDescription: true,
    run: async (_params, context) => ({
      help: verb === undefined ? await listVerbs(context) : await describeVerb(verb, context),
    }),
    renderRaw: ({ help }) => help,
  });
}

/** The command behind `pt agent` without a verb: a list of commands. */
export function indexCommand(): Command {
  return defineRead({
    path: 'agent',
    summary: 'List commands',
    params: {},
    output: v.object({
      version: v.string(),
      commands: v.array(v.object({ command: v.string(), description: v.string() })),
    }),
    examples: ['agent'],
    selfDescription: true,
    run: async (_params, context) => ({
      version: context.tool.version,
      commands: await Promise.all(
        verbsOf(context).map(async (verb) => ({
          command: `pt agent ${verb}`,
          description: (await context.table.load(`triage ${verb}`)).summary,
        })),
      ),
    }),
  });
}

async function listVerbs(context: CommandContext): Promise<string> {
  const rows = await Promise.all(
    verbsOf(context).map(
      async (verb) => `  pt agent ${verb.padEnd(14)} ${(await context.table.load(`triage ${verb}`)).summary}`,
    ),
  );
  return `pt ${context.tool.version}: find abandoned processes and stop them safely\n\n${rows.join('\n')}\n`;
}

async function describeVerb(verb: string, { table }: CommandContext): Promise<string> {
  const command = await table.load(`triage ${verb}`);
  const flags = ptParameters(command).map(
    ({ flag, description, required }) =>
      `  ${flag.padEnd(26)} ${description}${required ? ' (required)' : ''}`,
  );
  return `pt agent ${verb}: ${command.summary}\n${command.description ? `\n${command.description}.\n` : ''}\nFlags\n${flags.join('\n')}\n`;
}
