import * as v from 'valibot';
import { Fault } from '../../base/fault.ts';
import { aboutCommand } from '../../contract/about-command.ts';
import { defineRead, effectOf, gateOf, type Command, type CommandContext } from '../../contract/command.ts';
import { GLOBAL_PARAMETERS, shownGlobals } from '../../contract/global-parameters.ts';
import { parametersOf, type Parameter } from '../../contract/command-parameters.ts';
import { suggestCommand } from '../../contract/suggest-command.ts';

/** The command behind `--help`: for the whole tool, a group, or one command. */
export function helpCommand(path: string): Command {
  return defineRead({
    path: '--help',
    needsNoHome: true,
    summary: 'Show help',
    params: {},
    output: v.object({ help: v.string() }),
    examples: ['--help'],
    errors: ['E_USAGE'],
    run: async (_params, context) => ({ help: await renderHelp(path, context) }),
    renderText: ({ help }) => help,
    renderRaw: ({ help }) => help,
  });
}

async function renderHelp(path: string, context: CommandContext): Promise<string> {
  if (context.table.has(path)) return commandHelp(await context.table.load(path), context.tool.name);
  const commands = (await context.table.loadAll()).filter(
    (command) => path === '' || command.path.startsWith(`${path} `),
  );
  if (commands.length === 0) {
    const suggestion = suggestCommand(path.split(' '), context.table.paths);
    throw new Fault('E_USAGE', `Unknown command "${path}".`, {
      hint: suggestion ? `Did you mean "${suggestion}"?` : 'Run --help for a list of commands.',
    });
  }
  return toolHelp(commands, context);
}

function toolHelp(commands: readonly Command[], { tool }: CommandContext): string {
  const width = Math.max(...commands.map(({ path }) => path.length));
  const groups = Map.groupBy(commands, ({ path }) => (path.includes(' ') ? (path.split(' ')[0] ?? '') : ''));
  const sections = [...groups].map(([group, members]) => {
    const rows = members.map(({ path, summary }) => `  ${path.padEnd(width)}  ${summary}`);
    return `${headingOf(group)}\n${rows.join('\n')}`;
  });
  return `${tool.name} ${tool.version}: ${tool.description}

Usage: ${tool.name} <command> [flags]

${sections.join('\n\n')}

Flags of all commands
${flagRows(GLOBAL_PARAMETERS.every_command.filter(({ deprecated }) => !deprecated))}

Examples
  ${tool.name} doctor --format text   check the installation
  ${tool.name} <command> --help       show help for one command
  ${tool.name} reference --compact    describe all commands for programs
`;
}

function headingOf(group: string): string {
  if (group === '') return 'Commands';
  return group === 'mcp' ? 'MCP' : group[0]?.toUpperCase() + group.slice(1);
}

function commandHelp(command: Command, toolName: string): string {
  const own = parametersOf(command);
  const places = own.filter(({ position }) => position !== undefined);
  const usage = places.map(({ name, required, multiple }) => {
    const shown = multiple ? `${name}…` : name;
    return required ? `<${shown}>` : `[${shown}]`;
  });
  const gate = {
    none: '',
    confirm:
      '\nThis is a write: run it with --dry-run first, then with --confirm and the token from the dry run.\n',
    dangerous:
      '\nThis cannot be undone: run it with --dry-run first, then with --dangerous, --confirm and the token from the dry run.\n',
    exempt: '\nThis is a write that needs no token; --dry-run only shows what would change.\n',
  }[gateOf(command)];
  return `${[toolName, command.path, ...usage].join(' ')} [flags]

${aboutCommand(command).join('\n\n')}
${gate}${own.length === 0 ? '' : `\nFlags\n${flagRows(own)}\n`}
Flags of all ${effectOf(command) === 'read' ? 'read' : 'write'} commands
${flagRows(shownGlobals(command))}

Examples
${command.examples.map((example) => `  ${toolName} ${example}`).join('\n')}
`;
}

function flagRows(parameters: readonly Parameter[]): string {
  const rows = parameters.map((parameter) => {
    const value =
      parameter.type === 'boolean'
        ? ''
        : ` <${parameter.allowed?.join('|') ?? parameter.type}${parameter.multiple ? ',…' : ''}>`;
    const notes = [
      parameter.required ? 'required' : '',
      parameter.defaultValue === undefined || parameter.defaultValue === false
        ? ''
        : `default ${JSON.stringify(parameter.defaultValue)}`,
      parameter.deprecated ? `deprecated, use --${(parameter.aliasOf ?? '').replaceAll('_', '-')}` : '',
    ].filter((note) => note !== '');
    const description =
      notes.length === 0 ? parameter.description : `${parameter.description} (${notes.join('; ')})`;
    return { left: `${parameter.flag}${value}`, description };
  });
  const width = Math.min(34, Math.max(...rows.map(({ left }) => left.length)));
  return rows.map(({ left, description }) => `  ${left.padEnd(width)}  ${description}`).join('\n');
}
