import type { AgentPlan } from '../../agent/plan-agent.ts';
import { parseCassette, type Cassette } from '../../agent/providers/script-cassette.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { redactShapes } from '../../base/redact.ts';

/** A cassette that also tells what was planned: with it a run needs neither its prompt file nor its configuration. */
export interface RunRecording extends Cassette {
  readonly plan: AgentPlan;
}

export function renderRecording(plan: AgentPlan, { exchanges }: Cassette): string {
  return `${JSON.stringify({ version: 1, plan: redactShapes(plan), exchanges }, undefined, 2)}\n`;
}

export function parseRecording(text: string): RunRecording {
  const cassette = parseCassette(text, 'The recording of the run');
  if ('plan' in cassette && isPlainObject(cassette.plan)) return cassette as RunRecording;
  throw new Fault('E_INTEGRITY', 'The recording of the run does not tell what its agent was.');
}
