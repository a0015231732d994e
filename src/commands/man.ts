import * as v from 'valibot';
import { aboutCommand } from '../contract/about-command.ts';
import { defineRead, gateOf, type Command } from '../contract/command.ts';
import { parametersOf, type Parameter } from '../contract/command-parameters.ts';
import { EXIT_CODES } from '../contract/generated.ts';
import { GLOBAL_PARAMETERS } from '../contract/global-parameters.ts';
import { homeVariable, type Tool } from '../contract/tool.ts';

export default defineRead({
  path: 'man',
  summary: 'Print a manual page of all commands',
  description: 'Prints a manual page in the format of man(7); save the raw format as <program>.1',
  params: {},
  output: v.object({ page: v.string() }),
  examples: ['man --format raw'],
  selfDescription: true,
  run: async (_params, { tool, table }) => ({ page: renderPage(tool, await table.loadAll()) }),
  renderText: ({ page }) => page,
  renderRaw: ({ page }) => page,
});

function renderPage(tool: Tool, commands: readonly Command[]): string {
  const { name, version, description } = tool;
  const globals = Object.values(GLOBAL_PARAMETERS).flat();
  const lines = [
    `.TH ${name.toUpperCase()} 1 "" "${name} ${version}"`,
    '.SH NAME',
    `${escape(name)} \\- ${escape(description)}`,
    '.SH SYNOPSIS',
    `.B ${escape(name)}`,
    '.I command',
    '[flags]',
    '.SH COMMANDS',
    ...commands.flatMap((command) => renderCommand(name, command)),
    '.SH FLAGS OF MANY COMMANDS',
    ...[...new Set(globals)].filter(({ deprecated }) => !deprecated).flatMap(renderFlag),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_CODES).flatMap(([code, meaning]) => ['.TP', code, escape(meaning)]),
    '.SH ENVIRONMENT',
    '.TP',
    `.B ${escape(homeVariable(tool))}`,
    `The folder of the configuration, the audit log and the data (default ~/.${escape(name)}).`,
  ];
  return `${lines.join('\n')}\n`;
}

const GATES = {
  none: [],
  exempt: [],
  confirm: ['.PP', 'A write: run it with \\-\\-dry\\-run, then with \\-\\-confirm and the token.'],
  dangerous: [
    '.PP',
    'It cannot be undone: run it with \\-\\-dry\\-run, then with \\-\\-confirm, the token and \\-\\-dangerous.',
  ],
};

function renderCommand(tool: string, command: Command): string[] {
  const { path, examples } = command;
  return [
    `.SS ${escape(`${tool} ${path}`)}`,
    ...aboutCommand(command).flatMap((text) => ['.PP', escape(text)]),
    ...GATES[gateOf(command)],
    ...parametersOf(command).flatMap(renderFlag),
    '.PP',
    '.RS 4',
    '.nf',
    ...examples.map((example) => escape(`${tool} ${example}`)),
    '.fi',
    '.RE',
  ];
}

function renderFlag({ flag, type, allowed, description, required, defaultValue }: Parameter): string[] {
  const value = type === 'boolean' ? '' : ` \\fI<${escape(allowed?.join('|') ?? type)}>\\fR`;
  const hasDefault = defaultValue !== undefined && defaultValue !== false && defaultValue !== '';
  const note = required ? ' (required)' : hasDefault ? ` (default ${JSON.stringify(defaultValue)})` : '';
  return ['.TP', `\\fB${escape(flag)}\\fR${value}`, escape(`${description}${note}`)];
}

/** A dash is a minus, a line that starts with a dot or a quote is not a request, and troff reads only ASCII. */
function escape(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(
      /[^\n -~]/gu,
      (char) => `\\[u${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
  return /^[.']/u.test(escaped) ? `\\&${escaped}` : escaped;
}
