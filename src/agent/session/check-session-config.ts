import { Fault } from '../../base/fault.ts';
import { contextLimit } from '../context/context-guard.ts';
import { OUTPUT_FORMATS, TRANSPORTS, type SessionConfig } from '../session-config.ts';
import { schemaChecks } from '../tools/schema-checks.ts';

/** Timers of the runtime that are longer end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Refuses a configuration with which no session could run. */
export function checkConfig(config: SessionConfig): void {
  const { limits, targets, output, transport } = config;
  if (targets.length === 0)
    refuse('targets', 'there is no model to ask', 'Name at least one provider/model.');
  for (const name of ['maxTurns', 'maxRetries', 'maxToolCallsPerTurn', 'toolResponseMaxBytes'] as const) {
    if (!Number.isInteger(limits[name]) || limits[name] < 1) {
      refuse(name, `${name} is ${limits[name]}`, 'It must be a whole number from 1.');
    }
  }
  for (const name of ['toolTimeoutMs', 'llmTimeoutMs', 'maxDurationMs'] as const) {
    const value = limits[name];
    if (value === undefined || (value > 0 && value <= LONGEST_TIMER_MS)) continue;
    refuse(name, `${name} is ${value}`, `It must be above 0 and at most ${LONGEST_TIMER_MS}, 24 days.`);
  }
  for (const name of ['maxCostUsd', 'maxTotalTokens'] as const) {
    const value = limits[name];
    if (value !== undefined && !(value > 0)) refuse(name, `${name} is ${value}`, 'It must be above 0.');
  }
  for (const target of targets) {
    if (contextLimit(target) > 0) continue;
    refuse(
      'contextWindow',
      `nothing is left of the context window of ${target.provider}/${target.model}`,
      'contextWindow must exceed contextWindowBufferTokens and maxOutputTokens together.',
    );
  }
  for (const [name, { concurrent }] of Object.entries(config.queues)) {
    if (Number.isInteger(concurrent) && concurrent > 0) continue;
    refuse(`queues.${name}`, `concurrent is ${concurrent}`, 'It must be a whole number from 1.');
  }
  if (!OUTPUT_FORMATS.includes(output.format)) {
    refuse('format', `there is no format ${output.format}`, `Use one of ${OUTPUT_FORMATS.join(', ')}.`);
  }
  if (!TRANSPORTS.includes(transport)) {
    refuse('transport', `there is no transport ${transport}`, `Use one of ${TRANSPORTS.join(', ')}.`);
  }
  if (output.schema !== undefined) checkSchema(config);
}

function checkSchema({ output }: SessionConfig): void {
  try {
    if (output.schema !== undefined) schemaChecks.compile(output.schema);
  } catch (error) {
    throw new Fault('E_CONFIG', `The schema of the output is not a JSON Schema: ${String(error)}`, {
      details: { setting: 'output.schema' },
      cause: error,
    });
  }
}

function refuse(setting: string, problem: string, hint: string): never {
  throw new Fault('E_CONFIG', `The session cannot run: ${problem}.`, { hint, details: { setting } });
}
