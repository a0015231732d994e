import type { AgentPlan } from '../../agent/plan-agent.ts';
import { parseCassette, type Cassette } from '../../agent/providers/script-cassette.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { redactTexts } from '../../base/secrets/redact.ts';

/** A cassette with the agent's plan, so that a replay needs neither the prompt file nor the configuration. */
export interface RunRecording extends Cassette {
  readonly plan: AgentPlan;
}

/** Renders the recording of a run as JSON text. */
export function renderRecording(plan: AgentPlan, { exchanges, ...head }: Cassette): string {
  return `${JSON.stringify({ ...head, plan: redactTexts(plan), exchanges }, undefined, 2)}\n`;
}

/** Parses the recording of a run. */
export function parseRecording(text: string): RunRecording {
  const cassette = parseCassette(text, 'The recording of the run');
  if ('plan' in cassette && isPlainObject(cassette.plan)) return cassette as RunRecording;
  throw new Fault('E_DAMAGED', 'The recording of the run does not contain the plan of its agent.');
}
