import type { Fault } from '../../base/fault.ts';
import { createPaint } from '../../base/paint.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { escapeJson, printable } from '../../base/text.ts';
import type { Dialect, DialectHost } from '../../contract/dialect.ts';
import { codeRow } from '../../contract/exit-code.ts';
import type { FaultReply, Reply, StreamReply, ValueReply } from '../../contract/reply.ts';
import { envelope, streamLine } from './envelope.ts';
import { isOn, readOutputOptions, type OutputOptions } from './output-options.ts';
import { parseArgv } from './parse-argv.ts';

/** The dialect of the machine contract: one JSON envelope on standard output, exit codes by error class, writes with confirm tokens. */
export const deedDialect: Dialect = (argv, host) => {
  const options = readOutputOptions(argv, () => host.output.stdoutIsTerminal);
  const log = (message: string): void =>
    host.output.stderr(`${host.tool.name}: ${printable(redactText(message))}\n`);
  return {
    gate: 'token',
    parse: () => parseArgv(argv, host),
    progress: (message) => {
      if (!options.quiet) log(message);
    },
    warn: log,
    isHelp: () => options.format === 'text' && isOn(argv, '--help'),
    render: (reply) => render(reply, options, host),
  };
};

async function render(reply: Reply, options: OutputOptions, host: DialectHost): Promise<number> {
  switch (reply.kind) {
    case 'stream':
      return renderStream(reply, options, host);
    case 'fault':
      return renderFault(reply, options, host);
    case 'value':
      return renderValue(reply, options, host);
  }
}

async function renderValue(reply: ValueReply, options: OutputOptions, host: DialectHost): Promise<number> {
  const { output, system } = host;
  if (options.format === 'json') {
    output.stdout(renderJson(envelope(reply), options));
    return 0;
  }
  if (options.format === 'raw' && reply.raw !== undefined) {
    output.stdout(reply.raw());
    return 0;
  }
  const paint = createPaint(output.stdoutIsTerminal, system.env);
  const { renderText } = await import('./render-text.ts');
  output.stdout(reply.text?.(paint) ?? renderText(reply.data, paint, output.columns));
  for (const notice of reply.notices) {
    if (typeof notice.recommended_command === 'string' && !options.quiet) {
      output.stderr(
        `${host.tool.name}: a newer version is available; run: ${printable(notice.recommended_command)}\n`,
      );
    }
  }
  return 0;
}

/** In text and raw format standard output is only for results, so the error is printed to standard error. */
function renderFault(reply: FaultReply, options: OutputOptions, host: DialectHost): number {
  const { output } = host;
  const { fault } = reply;
  if (options.format === 'json') output.stdout(renderJson(envelope(reply), options));
  else if (options.format === 'raw') output.stderr(renderJson(envelope(reply), { compact: true }));
  else printFault(fault, host);
  return codeRow(fault.code).exit;
}

function printFault(fault: Fault, { output, tool, system }: DialectHost): void {
  const paint = createPaint(output.stderrIsTerminal, system.env);
  const hint = fault.hint === undefined ? '' : `${printable(fault.hint)}\n`;
  output.stderr(`${paint.red(`${tool.name}: ${fault.code}`)} ${printable(fault.message)}\n${hint}`);
}

/** Streams are JSON lines in every format except text. */
async function renderStream(reply: StreamReply, options: OutputOptions, host: DialectHost): Promise<number> {
  const paint = createPaint(host.output.stdoutIsTerminal, host.system.env);
  const { renderText } = await import('./render-text.ts');
  let exit = 0;
  for await (const line of reply.lines) {
    if (line.type === 'error') exit = codeRow(line.fault.code).exit;
    if (options.format === 'text') {
      if (line.type === 'error') printFault(line.fault, host);
      else host.output.stdout(line.text?.(paint) ?? `${renderText(line.data, paint, host.output.columns)}\n`);
    } else host.output.stdout(`${escapeJson(JSON.stringify(streamLine(line)))}\n`);
  }
  return exit;
}

function renderJson(value: unknown, options: { readonly compact: boolean }): string {
  return `${escapeJson(JSON.stringify(value, null, options.compact ? 0 : 2))}\n`;
}
