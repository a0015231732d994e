import * as v from 'valibot';
import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import { defineRead, effectOf, gateOf, type Command, type CommandContext } from '../../contract/command.ts';
import { GLOBAL_PARAMETERS, usefulGlobals } from '../../contract/global-parameters.ts';
import { parametersOf, type Parameter } from '../../contract/command-parameters.ts';

/** What `--help` runs: for the whole tool, a group, or one command. */
export function helpCommand(path: string): Command {
  return defineRead({
    path: '--help',
    summary: 'Help for people',
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
    const suggestion = nearest(path, context.table.paths);
    throw new Fault('E_USAGE', `There is no command "${path}".`, {
      hint: suggestion ? `Did you mean "${suggestion}"?` : 'Run --help for all commands.',
    });
  }
  return toolHelp(commands, context);
}

function toolHelp(commands: readonly Command[], { tool }: CommandContext): string {
  const width = Math.max(...commands.map(({ path }) => path.length));
  const groups = Map.groupBy(commands, ({ path }) => (path.includes(' ') ? (path.split(' ')[0] ?? '') : ''));
  const sections = [...groups].map(([group, members]) => {
    const rows = members.map(({ path, summary }) => `  ${path.padEnd(width)}  ${summary}`);
    return `${group === '' ? 'Commands' : group[0]?.toUpperCase() + group.slice(1)}\n${rows.join('\n')}`;
  });
  return `${tool.name} ${tool.version}: ${tool.description}

Usage: ${tool.name} <command> [flags]

${sections.join('\n\n')}

Flags of every command
${flagRows(GLOBAL_PARAMETERS.every_command.filter(({ deprecated }) => !deprecated))}

Examples
  ${tool.name} doctor --format text   is everything in order?
  ${tool.name} <command> --help       more about one command
  ${tool.name} reference --compact    all of this, for programs
`;
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
      '\nThis changes things: run it with --dry-run, then with --confirm and the token you were given.\n',
    dangerous:
      '\nThis cannot be undone: run it with --dry-run, then with --dangerous, --confirm and the token you were given.\n',
    exempt: '\nThis changes things in one call and guards itself; --dry-run only looks.\n',
  }[gateOf(command)];
  return `${[toolName, command.path, ...usage].join(' ')} [flags]

${sentence(command.description ?? command.summary)}
${gate}${own.length === 0 ? '' : `\nFlags\n${flagRows(own)}\n`}
Flags of every ${effectOf(command) === 'read' ? 'query' : 'write'}
${flagRows(usefulGlobals(command))}

Examples
${command.examples.map((example) => `  ${toolName} ${example}`).join('\n')}
`;
}

/** Ends a text as a sentence, unless it does so itself. */
function sentence(text: string): string {
  return /[.!?:"]$/u.test(text) ? text : `${text}.`;
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
