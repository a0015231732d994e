import { isoTime } from '../../base/clock.ts';
import type { Wealth } from '../decision/alpha-investing.ts';
import type { ApplyPolicy } from '../gates/apply-policy.ts';
import type { SessionState } from './session-state.ts';

/** What a session is and how far it has come. */
export interface Manifest {
  readonly schema_version: '1.0.0';
  readonly session_id: string;
  readonly state: SessionState;
  readonly created_at: string;
  readonly updated_at: string;
  readonly host_id: string;
  /** Pids and start times mean nothing after another boot. */
  readonly boot_id: string;
  readonly uid: number;
  /** The share of the error budget that this session bets; fixed before anything was looked at. */
  readonly alpha?: number;
  /** The wealth that bet was taken from. */
  readonly wealth?: Wealth;
  /** Whose processes it is about. */
  readonly owner?: number;
  /** What was approved: which actions, within which limits. A resumption keeps to it. */
  readonly approved?: Approval;
  readonly verified_at?: string;
}

export interface Approval {
  readonly recommended: boolean;
  readonly targets?: readonly string[] | undefined;
  readonly policy: ApplyPolicy;
}

export function createManifest(
  id: string,
  facts: Pick<Manifest, 'host_id' | 'boot_id' | 'uid'>,
  nowMs: number,
): Manifest {
  const at = isoTime(nowMs);
  return {
    schema_version: '1.0.0',
    session_id: id,
    state: 'created',
    created_at: at,
    updated_at: at,
    ...facts,
  };
}
