import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import { checkAttachments } from '../attachments/accepted-kinds.ts';
import { checkRule } from '../approval/decide-call.ts';
import { checkGuardDefinition } from '../guards/check-report.ts';
import { contextLimit } from '../context/context-guard.ts';
import { OUTPUT_FORMATS, TRANSPORTS, type SessionConfig } from '../session-config.ts';
import { schemaChecks } from '../tools/schema-checks.ts';

/** The runtime fires longer timers immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Throws a Fault for an invalid session configuration. */
export function checkSessionConfig(config: SessionConfig): void {
  const { limits, targets, output, transport } = config;
  if (targets.length === 0)
    rejectSetting('targets', 'no model is configured', 'Configure at least one provider/model.');
  for (const name of ['maxTurns', 'maxRetries', 'maxToolCallsPerTurn', 'toolResponseMaxBytes'] as const) {
    if (!Number.isInteger(limits[name]) || limits[name] < 1) {
      rejectSetting(name, `${name} is ${limits[name]}`, 'It must be an integer of at least 1.');
    }
  }
  for (const name of ['toolTimeoutMs', 'llmTimeoutMs', 'maxDurationMs'] as const) {
    const value = limits[name];
    if (value === undefined || (value > 0 && value <= LONGEST_TIMER_MS)) continue;
    rejectSetting(
      name,
      `${name} is ${value}`,
      `It must be above 0 and at most ${LONGEST_TIMER_MS} (24 days).`,
    );
  }
  for (const name of ['maxCostUsd', 'maxTotalTokens'] as const) {
    const value = limits[name];
    if (value !== undefined && !(value > 0))
      rejectSetting(name, `${name} is ${value}`, 'It must be above 0.');
  }
  for (const target of targets) {
    if (contextLimit(target) > 0) continue;
    rejectSetting(
      'contextWindow',
      `the context window of ${target.provider}/${target.model} is too small`,
      'contextWindow must exceed contextWindowBufferTokens and maxOutputTokens together.',
    );
  }
  for (const [name, { concurrent }] of Object.entries(config.queues)) {
    if (Number.isInteger(concurrent) && concurrent > 0) continue;
    rejectSetting(`queues.${name}`, `concurrent is ${concurrent}`, 'It must be an integer of at least 1.');
  }
  if (!OUTPUT_FORMATS.includes(output.format)) {
    rejectSetting('format', `unknown format "${output.format}"`, `Use one of ${OUTPUT_FORMATS.join(', ')}.`);
  }
  if (!TRANSPORTS.includes(transport)) {
    rejectSetting('transport', `unknown transport "${transport}"`, `Use one of ${TRANSPORTS.join(', ')}.`);
  }
  if (output.schema !== undefined) checkSchema(config);
  checkAttachments(config);
  for (const guard of config.guards ?? []) {
    try {
      checkGuardDefinition(guard);
    } catch (error) {
      const problem = `a guard: ${errorMessage(error)}`;
      rejectSetting(
        'guards',
        problem,
        'Use a regular expression without lookaround, or a valid JSON Schema.',
      );
    }
  }
  for (const rule of (config.approval ?? []).flat()) {
    try {
      checkRule(rule);
    } catch (error) {
      const problem = `the rule for ${rule.tool}: ${errorMessage(error)}`;
      rejectSetting('approval', problem, 'Use a regular expression without lookaround and backreferences.');
    }
  }
}

function checkSchema({ output }: SessionConfig): void {
  try {
    if (output.schema !== undefined) schemaChecks.compile(output.schema);
  } catch (error) {
    throw new Fault('E_CONFIG', `The output schema is not a valid JSON Schema: ${String(error)}`, {
      details: { setting: 'output.schema' },
      cause: error,
    });
  }
}

/** Throws the Fault of an invalid setting. */
export function rejectSetting(setting: string, problem: string, hint: string): never {
  const end = problem.endsWith('?') ? '' : '.';
  throw new Fault('E_CONFIG', `Invalid session configuration: ${problem}${end}`, {
    hint,
    details: { setting },
  });
}
