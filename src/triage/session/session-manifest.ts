import { isoTime } from '../../base/clock.ts';
import type { Wealth } from '../decision/alpha-investing.ts';
import type { ApplyPolicy } from '../gates/apply-policy.ts';
import type { TriageSessionState } from './session-state.ts';

/** The identity and state of a triage session. */
export interface SessionManifest {
  readonly schema_version: '1.0.0';
  readonly session_id: string;
  readonly state: TriageSessionState;
  readonly created_at: string;
  readonly updated_at: string;
  readonly host_id: string;
  /** Pids and start times are valid only within this boot. */
  readonly boot_id: string;
  readonly uid: number;
  /** The alpha that the plan invests; fixed before the snapshot was taken. */
  readonly alpha?: number;
  /** The alpha wealth before that. */
  readonly wealth?: Wealth;
  /** The uid whose processes it covers. */
  readonly owner?: number;
  /** The approved actions and limits, which a resumed apply uses again. */
  readonly approved?: ApprovedApply;
  readonly verified_at?: string;
}

export interface ApprovedApply {
  readonly recommended: boolean;
  readonly targets?: readonly string[] | undefined;
  readonly policy: ApplyPolicy;
}

/** What is known of a triage session when it is created. */
export type ManifestFacts = Pick<
  SessionManifest,
  'host_id' | 'boot_id' | 'uid' | 'alpha' | 'wealth' | 'owner'
>;

export function createManifest(id: string, facts: ManifestFacts, nowMs: number): SessionManifest {
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
