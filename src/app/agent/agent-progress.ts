import type { SessionEvent } from '../../agent/session-event.ts';
import { excerpt } from '../../base/text.ts';

/** A line about a running session. A passing one is only of interest until the next comes. */
export interface ProgressLine {
  readonly text: string;
  readonly passing?: true;
}

/** Says in a line what happened, for a person who watches; nothing for what is of no interest without `verbose`. */
export function progressLine(event: SessionEvent, verbose: boolean): ProgressLine | undefined {
  const line = describe(event, verbose);
  if (line === undefined) return undefined;
  // A sub-agent's lines say whose they are.
  const nested = event.callPath.includes('->');
  return nested ? { ...line, text: `[${event.callPath}] ${line.text}` } : line;
}

function describe(event: SessionEvent, verbose: boolean): ProgressLine | undefined {
  switch (event.type) {
    case 'session.started':
      return event.tools.length === 0 ? undefined : { text: `${event.tools.length} tools are ready` };
    case 'turn.started':
      return { text: `· turn ${event.turn}${event.final ? ', the last' : ''}`, passing: true };
    case 'llm.requested':
      return verbose
        ? {
            text: `LLM request prepared: ${event.provider}/${event.model}, attempt ${event.attempt}, ctx ${event.ctxTokens} + new ${event.newTokens} + schema ${event.schemaTokens} = ${event.expectedTokens} of ${event.limitTokens} tokens`,
          }
        : { text: `· turn ${event.turn}: asking ${event.provider}/${event.model}`, passing: true };
    case 'llm.answered':
      return {
        text: `turn ${event.turn}: ${event.provider}/${event.model} answered in ${seconds(event.latencyMs)}, ${count(event.inputTokens + event.cacheReadTokens)} in, ${count(event.outputTokens)} out${dollars(event.totalCostUsd)}`,
      };
    case 'llm.failed':
      return {
        text: `✗ ${event.provider}/${event.model} failed (${event.class}): ${excerpt(event.message, 200)}${event.waitMs > 0 ? `; waiting ${seconds(event.waitMs)}` : ''}`,
      };
    case 'tool.started':
      return { text: `→ ${event.tool} ${excerpt(event.arguments, 120)}`, passing: true };
    case 'tool.finished':
      return event.ok
        ? { text: `✓ ${event.tool} ${seconds(event.latencyMs)}, ${count(event.bytes)} bytes` }
        : { text: `✗ ${event.tool} ${seconds(event.latencyMs)}: ${excerpt(event.error ?? '', 200)}` };
    case 'progress.reported':
      return { text: `… ${excerpt(event.message, 500)}` };
    case 'log':
      if (!verbose && event.level !== 'WRN' && event.level !== 'ERR') return undefined;
      return {
        text: `${event.level} ${event.message}${verbose && event.details ? ` ${JSON.stringify(event.details)}` : ''}`,
      };
    case 'tool.queued':
      return verbose
        ? { text: `${event.tool} waits in ${event.queue}: ${event.depth}, ${event.running} run` }
        : undefined;
    case 'session.finished':
    case 'output.delta':
    case 'accounting.added':
      return undefined;
  }
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
