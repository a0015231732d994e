import type { ActionOutcome } from '../actions/execute-action.ts';
import type { GateResult } from '../gates/gate.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';

/** Keeps what an interrupted apply recorded about the tree. */
export function keptFrom(earlier: OutcomeEntry | undefined): Pick<OutcomeEntry, 'members' | 'commandMark'> {
  const { members, commandMark } = earlier ?? {};
  return { ...(members && { members }), ...(commandMark !== undefined && { commandMark }) };
}

export function detailsOf({
  members,
  timeToDeathMs,
  forced,
  throttle,
  escalation,
}: ActionOutcome): Partial<OutcomeEntry> {
  return {
    ...(members && { members }),
    ...(timeToDeathMs !== undefined && { timeToDeathMs }),
    ...(forced !== undefined && { forced }),
    ...(throttle && { throttle }),
    ...(escalation !== undefined && { escalation }),
  };
}

export function withWarnings({ reason }: ActionOutcome, gates: readonly GateResult[]): string {
  const warnings = gates
    .filter(({ verdict }) => verdict === 'warn')
    .map((gate) => ` Warning: ${gate.reason}`);
  return `${reason}${warnings.join('')}`;
}
