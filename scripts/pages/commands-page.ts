import { DEED_COMMANDS } from '../../src/commands/table.ts';
import { effectOf, gateOf, type Command } from '../../src/contract/command.ts';
import { parametersOf, type Parameter } from '../../src/contract/command-parameters.ts';
import { createTable } from '../../src/contract/command-table.ts';
import { row } from './describe-type.ts';
import { GENERATED } from './generated-note.ts';

/** Every command with its parameters, for people; programs use `deed reference`. */
export async function commandsPage(): Promise<string> {
  const commands = await createTable(DEED_COMMANDS).loadAll();
  return `${GENERATED}
# Commands of deed

The content of \`deed reference\` for people. Gate *confirm*: first \`--dry-run\`, then \`--confirm\` with the token. *dangerous*: also \`--dangerous\`.

${commands.map(section).join('\n\n')}
`;
}

/** One line per command, for the Skill. */
export async function commandList(): Promise<string> {
  const commands = await createTable(DEED_COMMANDS).loadAll();
  const lines = commands.map((command) => `- \`deed ${usage(command)}\`${mark(command)} ${command.summary}`);
  return `${GENERATED}
# All commands

*w* writes after a dry run and its token, *W* also needs \`--dangerous\`, *s* streams lines. Optional flags are omitted: \`deed reference --command "<path>"\` lists them.

${lines.join('\n')}
`;
}

function usage(command: Command): string {
  const needed = parametersOf(command).filter(({ required, aliasOf }) => required && aliasOf === undefined);
  const words = needed.map(({ flag, name, position }) =>
    position === undefined ? `${flag} <${name}>` : `<${name}>`,
  );
  return [command.path, ...words].join(' ');
}

function mark(command: Command): string {
  const gate = gateOf(command);
  if (gate === 'dangerous') return ' *W*';
  if (gate === 'confirm') return ' *w*';
  return command.kind === 'stream' ? ' *s*' : '';
}

function section(command: Command): string {
  const parameters = parametersOf(command);
  const rows = parameters.map((parameter) =>
    row(nameOf(parameter), typeOf(parameter), parameter.description),
  );
  const table =
    rows.length === 0 ? [] : ['', row('parameter', 'type', 'description'), '|---|---|---|', ...rows];
  return [
    `## ${command.path}`,
    '',
    `${command.summary}. *${effectOf(command)}, gate: ${gateOf(command)}*`,
    ...(command.description === undefined ? [] : ['', command.description.replaceAll('<', String.raw`\<`)]),
    ...table,
    '',
    '```sh',
    ...command.examples.map((example) => `deed ${example}`),
    '```',
  ].join('\n');
}

function nameOf({ flag, position, required }: Parameter): string {
  const bare = position === undefined ? '' : ` (or position ${position + 1})`;
  return `\`${flag}\`${bare}${required ? ', required' : ''}`;
}

function typeOf({ type, multiple, allowed, defaultValue }: Parameter): string {
  const what = allowed === undefined ? type : allowed.map((value) => `\`${value}\``).join(', ');
  const plain = multiple ? `${what}, several` : what;
  return defaultValue === undefined ? plain : `${plain}; default \`${JSON.stringify(defaultValue)}\``;
}
