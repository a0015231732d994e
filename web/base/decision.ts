import { type CallError, read } from './api.ts';
import { planWrite, type PlannedWrite } from './planned-write.ts';

/** What a person can do with a run. */
export type Decision = 'approve' | 'reject' | 'send-back' | 'roll-back';

interface Described {
  readonly label: string;
  readonly done: string;
  readonly key: string;
  /** What is asked before the dry run. */
  readonly text?: { readonly label: string; readonly isRequired: boolean };
}

export const DECISIONS: Readonly<Record<Decision, Described>> = {
  approve: { label: 'Approve', done: 'Approved', key: 'a' },
  reject: {
    label: 'Reject',
    done: 'Rejected',
    key: 'r',
    text: { label: 'Reason (optional)', isRequired: false },
  },
  'send-back': {
    label: 'Send back',
    done: 'Sent back',
    key: 'c',
    text: { label: 'What should the agent change?', isRequired: true },
  },
  'roll-back': { label: 'Roll back', done: 'Rolled back', key: 'u' },
};

/** The decisions about a run with this status. */
export function decisionsFor(status: string): readonly Decision[] {
  if (status === 'waiting') return ['send-back', 'reject', 'approve'];
  if (status === 'success') return ['send-back', 'roll-back'];
  return ['failure', 'denied', 'timeout'].includes(status) ? ['send-back'] : [];
}

export async function planDecision(decision: Decision, id: string, text: string): Promise<PlannedWrite> {
  const note = text === '' ? {} : { note: text };
  switch (decision) {
    case 'approve':
      return planWrite('work approve', { id });
    case 'reject':
      return planWrite('work reject', { id, ...note });
    case 'send-back':
      return planWrite('work revise', { id, comment: text, detach: true });
    case 'roll-back':
      return planWrite('work rollback', { id });
  }
}

/** Who decided about a run, if another person was faster. */
export interface EarlierDecision {
  readonly decision: string;
  readonly by: string;
  readonly at: string;
}

/** Finds out whether a decision failed because there is one already. */
export async function findEarlier(id: string, error: CallError): Promise<EarlierDecision | undefined> {
  if (error.code !== 'E_CONFLICT' && error.code !== 'E_NOT_FOUND') return undefined;
  const run = await read('work show', { id }).catch(() => undefined);
  const { decision, by, at } = run?.approval ?? {};
  if (typeof decision !== 'string' || typeof by !== 'string' || typeof at !== 'string') return undefined;
  return { decision: decision.replace('_', ' '), by: by.replace(/^user:/u, ''), at };
}
