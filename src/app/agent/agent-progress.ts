import { isInternalTool } from '../../agent/accounting/tool-calls.ts';
import type { SessionEvent } from '../../agent/session-event.ts';
import { excerpt } from '../../base/text.ts';

/** A progress line of a running session. The next line replaces a transient one. */
export interface ProgressLine {
  readonly text: string;
  readonly transient?: true;
}

/** Renders an event as a progress line; undefined for events that are shown only with `verbose`. */
export function progressLine(event: SessionEvent, verbose: boolean): ProgressLine | undefined {
  const line = describe(event, verbose);
  if (line === undefined) return undefined;
  // Lines of sub-agents are prefixed with their call path.
  const nested = event.callPath.includes('->');
  return nested ? { ...line, text: `[${event.callPath}] ${line.text}` } : line;
}

function describe(event: SessionEvent, verbose: boolean): ProgressLine | undefined {
  switch (event.type) {
    case 'session.started':
      return describeTools(event.tools.filter((name) => !isInternalTool(name)).length);
    case 'turn.started':
      return { text: `· turn ${event.turn}${event.final ? ' (final)' : ''}`, transient: true };
    case 'llm.requested':
      return verbose
        ? {
            text: `LLM request prepared: ${event.provider}/${event.model}, attempt ${event.attempt}, ctx ${event.ctxTokens} + new ${event.newTokens} + schema ${event.schemaTokens} = ${event.expectedTokens} of ${event.limitTokens} tokens`,
          }
        : { text: `· turn ${event.turn}: calling ${event.provider}/${event.model}`, transient: true };
    case 'llm.answered':
      return {
        text: `turn ${event.turn}: ${event.provider}/${event.model} responded in ${seconds(event.latencyMs)}, ${count(event.inputTokens + event.cacheReadTokens)} in, ${count(event.outputTokens)} out${dollars(event.totalCostUsd)}`,
      };
    case 'llm.failed':
      return {
        text: `✗ ${event.provider}/${event.model} failed (${event.class}): ${excerpt(event.message, 200)}${event.waitMs > 0 ? `; waiting ${seconds(event.waitMs)}` : ''}`,
      };
    case 'tool.started':
      return { text: `→ ${event.tool} ${excerpt(event.arguments, 120)}`, transient: true };
    case 'tool.finished':
      return event.ok
        ? { text: `✓ ${event.tool} ${seconds(event.latencyMs)}, ${count(event.bytes)} bytes` }
        : {
            text: `✗ ${event.tool}${event.refused === undefined ? ` ${seconds(event.latencyMs)}` : ''}: ${excerpt(event.error ?? '', 200)}`,
          };
    case 'progress.reported':
      return { text: `… ${excerpt(event.message, 500)}` };
    case 'log':
      if (!verbose && event.level !== 'WRN' && event.level !== 'ERR') return undefined;
      return {
        text: `${event.level} ${event.message}${verbose && event.details ? ` ${JSON.stringify(event.details)}` : ''}`,
      };
    case 'tool.queued':
      return verbose
        ? { text: `${event.tool} queued in ${event.queue}: depth ${event.depth}, ${event.running} running` }
        : undefined;
    case 'context.compacted':
      return {
        text: `summarized earlier turns: ${count(event.beforeTokens)} to ${count(event.afterTokens)} tokens`,
      };
    case 'turn.finished':
    case 'llm.rejected':
    case 'session.finished':
    case 'output.delta':
    case 'accounting.added':
      return undefined;
  }
}

function describeTools(tools: number): ProgressLine | undefined {
  return tools === 0 ? undefined : { text: `${tools} ${tools === 1 ? 'tool' : 'tools'} ready` };
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function dollars(total: number): string {
  return total > 0 ? `, $${total.toFixed(4)} so far` : '';
}
