import * as v from 'valibot';
import { defineRead, gateOf, type Command } from '../contract/command.ts';
import { parametersOf, type Parameter } from '../contract/command-parameters.ts';
import { EXIT_CODES } from '../contract/generated.ts';
import { GLOBAL_PARAMETERS } from '../contract/global-parameters.ts';
import type { Tool } from '../contract/tool.ts';

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

function renderPage({ name, version, description }: Tool, commands: readonly Command[]): string {
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
  ];
  return `${lines.join('\n')}\n`;
}

const GATES = {
  none: [],
  exempt: [],
  confirm: ['.br', 'A write: run it with \\-\\-dry\\-run, then with \\-\\-confirm and the token.'],
  dangerous: [
    '.br',
    'It cannot be undone: run it with \\-\\-dry\\-run, then with \\-\\-confirm, the token and \\-\\-dangerous.',
  ],
};

function renderCommand(tool: string, command: Command): string[] {
  return [
    `.SS ${escape(`${tool} ${command.path}`)}`,
    escape(command.description ?? command.summary),
    ...GATES[gateOf(command)],
    ...parametersOf(command).flatMap(renderFlag),
    ...command.examples.flatMap((example) => ['.PP', '.nf', escape(`${tool} ${example}`), '.fi']),
  ];
}

function renderFlag({ flag, type, allowed, description, required }: Parameter): string[] {
  const value = type === 'boolean' ? '' : ` <${allowed?.join('|') ?? type}>`;
  return ['.TP', escape(`${flag}${value}`), escape(`${description}${required ? ' (required)' : ''}`)];
}

/** A dash is a minus, and a line that starts with a dot or a quote is not a request. */
function escape(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return /^[.']/u.test(escaped) ? `\\&${escaped}` : escaped;
}
