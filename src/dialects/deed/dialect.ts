import type { Fault } from '../../base/fault.ts';
import { createPaint, wantsColour } from '../../base/paint.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { escapeJson, printable } from '../../base/text.ts';
import type { Dialect, DialectHost } from '../../contract/dialect.ts';
import { codeRow } from '../../contract/exit-code.ts';
import type { Invocation } from '../../contract/invocation.ts';
import type { FaultReply, Reply, StreamReply, ValueReply } from '../../contract/reply.ts';
import { envelope, streamLine } from './envelope.ts';
import type { LiveItems } from './live-items.ts';
import { isOn, readOutputOptions, type OutputOptions } from './output-options.ts';
import { parseArgv } from './parse-argv.ts';
import type { TableLayout } from './text-table.ts';

/** The dialect of the machine contract: one JSON envelope on standard output, exit codes by error class, writes with confirm tokens. */
export const deedDialect: Dialect = (argv, host) => {
  const options = readOutputOptions(argv, () => host.output.stdoutIsTerminal);
  const log = (message: string): void =>
    host.output.stderr(`${host.tool.name}: ${printable(redactText(message))}\n`);
  const call: Call = { argv, options, host };
  let live: Promise<LiveItems> | undefined;
  const print = (message: string): void => {
    if (live === undefined) log(message);
    else void live.then((items) => items.print(`${host.tool.name}: ${printable(redactText(message))}\n`));
  };
  return {
    gate: 'token',
    parse: async () => (call.invocation = await parseArgv(argv, host)),
    progress: (message) => {
      if (!options.quiet) print(message);
    },
    follow: (item) => {
      // Users who want no colours want no other escape sequences either.
      if (options.quiet || !host.output.stderrIsTerminal || !wantsColour(true, host.system.env)) return false;
      live ??= import('./live-items.ts').then(({ openLiveItems }) => openLiveItems(host));
      void live.then((items) => items.show({ ...item, note: redactText(item.note ?? '') }));
      return true;
    },
    warn: print,
    isHelp: () => options.format === 'text' && (isOn(argv, '--help') || argv[0] === 'help'),
    render: async (reply) => {
      (await live)?.stop();
      return render(reply, call);
    },
  };
};

/** One call, with the command once it is parsed. */
interface Call {
  readonly argv: readonly string[];
  readonly options: OutputOptions;
  readonly host: DialectHost;
  invocation?: Invocation;
}

async function render(reply: Reply, call: Call): Promise<number> {
  switch (reply.kind) {
    case 'stream':
      return renderStream(reply, call.options, call.host);
    case 'fault':
      return renderFault(reply, call.options, call.host);
    case 'value':
      return renderValue(reply, call);
  }
}

async function renderValue(reply: ValueReply, call: Call): Promise<number> {
  const { options, host } = call;
  const { output, system } = host;
  if (options.format === 'json') {
    output.stdout(renderJson(envelope(reply), options));
    const token = reply.data.confirm_token;
    if (call.invocation?.dryRun === true && typeof token === 'string' && !options.quiet)
      await printNextStep(token, call);
    return 0;
  }
  const isHelp = call.invocation?.command.path === '--help';
  const { wrapHelp } = isHelp ? await import('../wrap-help.ts') : {};
  const print = (text: string): void => output.stdout(wrapHelp?.(text, output.columns) ?? text);
  if (options.format === 'raw' && reply.raw !== undefined) {
    print(reply.raw());
    return 0;
  }
  const paint = createPaint(output.stdoutIsTerminal, system.env);
  const { renderText } = await import('./render-text.ts');
  const layout = { ...layoutOf(host), shown: reply.columns };
  const { confirmCommand } = await import('./confirm-command.ts');
  const next = (token: string): string => confirmCommand(token, call.argv, call.invocation, host.tool.name);
  print(reply.text?.(paint, output.columns) ?? renderText(reply.data, layout, next));
  for (const notice of reply.notices) {
    if (typeof notice.recommended_command === 'string' && !options.quiet) {
      output.stderr(
        `${host.tool.name}: a newer version is available; run: ${printable(notice.recommended_command)}\n`,
      );
    }
  }
  return 0;
}

/** A person at a terminal gets the command that applies a dry run, ready to run. */
async function printNextStep(token: string, { argv, invocation, host }: Call): Promise<void> {
  if (!host.output.stderrIsTerminal) return;
  const { confirmCommand } = await import('./confirm-command.ts');
  host.output.stderr(
    `${host.tool.name}: to apply, run: ${confirmCommand(token, argv, invocation, host.tool.name)}\n`,
  );
}

function layoutOf({ output, system }: DialectHost): TableLayout {
  const paint = createPaint(output.stdoutIsTerminal, system.env);
  return { paint, columns: output.columns, nowMs: system.clock.now() };
}

/** In text and raw format standard output is only for results, so the error is printed to standard error. */
function renderFault(reply: FaultReply, options: OutputOptions, host: DialectHost): number {
  const { output } = host;
  const { fault } = reply;
  if (options.format === 'json') output.stdout(renderJson(envelope(reply), options));
  else if (options.format === 'raw') output.stderr(renderJson(envelope(reply), { compact: true }));
  else {
    const paint = createPaint(output.stderrIsTerminal, host.system.env);
    const text = reply.text?.(paint) ?? '';
    if (text !== '') output.stderr(text);
    printFault(fault, host);
  }
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
      else
        host.output.stdout(
          line.text?.(paint, host.output.columns) ?? `${renderText(line.data, layoutOf(host))}\n`,
        );
    } else host.output.stdout(`${escapeJson(JSON.stringify(streamLine(line)))}\n`);
  }
  return exit;
}

function renderJson(value: unknown, options: { readonly compact: boolean }): string {
  return `${escapeJson(JSON.stringify(value, null, options.compact ? 0 : 2))}\n`;
}
