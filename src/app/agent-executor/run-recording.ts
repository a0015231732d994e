import type { AgentPlan } from '../../agent/plan-agent.ts';
import { parseLlmRecording, type LlmRecording } from '../../agent/providers/llm-recording.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { redactTexts } from '../../base/secrets/redact.ts';

/** A recording with the agent's plan, so that a replay needs neither the prompt file nor the configuration. */
export interface RunRecording extends LlmRecording {
  readonly plan: AgentPlan;
}

/** Renders the recording of a run as JSON text. */
export function renderRecording(plan: AgentPlan, { exchanges, ...head }: LlmRecording): string {
  return `${JSON.stringify({ ...head, plan: redactTexts(plan), exchanges }, undefined, 2)}\n`;
}

/** Parses the recording of a run. */
export function parseRecording(text: string): RunRecording {
  const recording = parseLlmRecording(text, 'The recording of the run');
  if ('plan' in recording && isPlainObject(recording.plan)) return recording as RunRecording;
  throw new Fault('E_DAMAGED', 'The recording of the run does not contain the plan of its agent.', {
    hint: 'Restore it from a backup.',
  });
}
