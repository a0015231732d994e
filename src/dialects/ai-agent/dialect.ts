import { createPaint } from '../../base/paint.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { escapeJson, printable } from '../../base/text.ts';
import type { Dialect, DialectHost } from '../../contract/dialect.ts';
import type { FaultReply, Reply, ValueReply } from '../../contract/reply.ts';
import { exitCodeOf } from './exit-code.ts';
import { liveProgress, type LiveProgress } from './live-progress.ts';

/** The dialect of `ai-agent`: only the report on standard output, everything else on standard error, no confirmation before a run. */
export const aiAgentDialect: Dialect = (argv, host) => {
  const live = liveProgress(host);
  const flags = new Set(argv.slice(0, endOfFlags(argv)));
  const isHelp = (): boolean => flags.has('--help') || flags.has('-h');
  return {
    gate: 'open',
    parse: async () => {
      const { invocation, parseArgv } = await import('./parse-argv.ts');
      if (isHelp() || flags.has('--version')) {
        const { helpCommand, versionCommand } = await import('./help.ts');
        return invocation(flags.has('--version') ? versionCommand(host) : helpCommand(host), {});
      }
      return parseArgv(argv, host);
    },
    progress: (message) => live.show(redactText(message)),
    warn: (message) => {
      live.clear();
      host.output.stderr(`ai-agent: ${printable(redactText(message))}\n`);
    },
    isHelp,
    render: async (reply) => {
      live.clear();
      return render(reply, host, live);
    },
  };
};

function endOfFlags(argv: readonly string[]): number {
  const end = argv.indexOf('--');
  return end < 0 ? argv.length : end;
}

function render(reply: Reply, host: DialectHost, live: LiveProgress): number {
  switch (reply.kind) {
    case 'stream':
      throw new Error('no command of this dialect streams');
    case 'fault':
      return renderFault(reply, host);
    case 'value':
      host.output.stdout(forTerminal(renderValue(reply), reply.data.report, host));
      summarize(reply, host, live);
      return 0;
  }
}

function renderValue(reply: ValueReply): string {
  if (reply.raw !== undefined) return reply.raw();
  const { report_text: report, items } = reply.data;
  if (typeof report === 'string') return endLine(report);
  if (Array.isArray(items)) return items.map(toolLine).join('');
  return `${escapeJson(JSON.stringify(reply.data, null, 2))}\n`;
}

function toolLine(item: unknown): string {
  const { name, description } = item as { readonly name: string; readonly description: string };
  const [summary = ''] = printable(description).split('\n');
  return `${printable(name)}${summary === '' ? '' : `  ${summary}`}\n`;
}

/** Prints the report of a failed session on standard output, and its error on standard error. */
function renderFault({ fault }: FaultReply, host: DialectHost): number {
  const { output, system } = host;
  const { report_text: text, report } = fault.details;
  if (typeof text === 'string') output.stdout(forTerminal(endLine(text), report, host));
  const paint = createPaint(output.stderrIsTerminal, system.env);
  const hint = fault.hint === undefined ? '' : `${printable(adaptHint(fault.hint))}\n`;
  output.stderr(`${paint.red('ai-agent:')} ${printable(fault.message)}\n${hint}`);
  return exitCodeOf(fault);
}

/** Replaces a command in hints of the shared kernel that this program does not have. */
function adaptHint(hint: string): string {
  return hint.replace(/^See: reference --command ".*"\.$/u, 'See: ai-agent --help');
}

function summarize(
  { data, durationMs }: ValueReply,
  { output, system }: DialectHost,
  live: LiveProgress,
): void {
  const { turns, tool_calls: calls, tokens, cost_usd: cost } = data;
  if (typeof turns !== 'number' || typeof calls !== 'number') return;
  live.clear();
  const { input = 0, output: out = 0, cached = 0 } = tokens as Record<string, number>;
  const paid = typeof cost === 'number' && cost > 0 ? `, $${cost.toFixed(4)}` : '';
  const line = `${(durationMs / 1000).toFixed(1)} s, ${counted(turns, 'turn')}, ${counted(calls, 'tool call')}, ${(input + cached).toLocaleString('en-US')} tokens in, ${out.toLocaleString('en-US')} out${paid}`;
  output.stderr(`${createPaint(output.stderrIsTerminal, system.env).dim(line)}\n`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Removes control characters from model output on a terminal; files and pipes get it unchanged. Reports in format `tty` keep colours. */
function forTerminal(text: string, report: unknown, { output }: DialectHost): string {
  if (!output.stdoutIsTerminal) return text;
  const coloured = (report as { readonly format?: unknown } | undefined)?.format === 'tty';
  if (!coloured) return printable(text);
  return text
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}

// eslint-disable-next-line no-control-regex -- the escapes of colours are the point
const COLOUR = /(\u001B\[[0-9;]*m)/u;

function endLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
