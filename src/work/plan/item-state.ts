import type { Fault } from '../../base/fault.ts';
import type { RunResult } from '../run/run-result.ts';
import type { StepName } from '../run/run-state.ts';

/** The state of an item of a job. */
export type ItemState =
  | {
      readonly status: 'pending' | 'running' | 'ready' | 'waiting' | 'lost';
      readonly runId?: string | undefined;
      /** What its run does now, if a process of this host works on it. */
      readonly step?: StepName | undefined;
      /** Why the approval of an item that waits again was not accepted. */
      readonly refused?: string | undefined;
    }
  | { readonly status: 'damaged'; readonly runId: string; readonly problem: Fault }
  | {
      readonly status: RunResult['status'];
      readonly runId: string;
      readonly code?: string | undefined;
      readonly result: RunResult;
    };

/** Whether a run has its receipt. */
export function isEnded(state: ItemState): state is Extract<ItemState, { readonly result: RunResult }> {
  return 'result' in state;
}
