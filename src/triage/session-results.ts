import type { Action, ProcessClass } from './assessment.ts';
import type { Candidate } from './candidate.ts';
import type { GateName } from './gates/gate.ts';
import type { Visibility } from './process-snapshot.ts';
import type { DocumentName, Documents } from './session/session.ts';
import type { SessionManifest } from './session/session-manifest.ts';
import type { SessionPhase, TriageSessionState } from './session/session-state.ts';
import type { ResultHeader, TargetId } from './triage-results.ts';

/** A process that is only in one of two compared snapshots, or differs between them. */
export interface ComparedProcess extends TargetId {
  readonly ppid: number;
  readonly name: string;
  readonly state: string;
  readonly memory_mb: number;
}

/** Old and new values; unchanged members are omitted. */
export interface ProcessChanges {
  readonly ppid?: readonly [number, number];
  readonly state?: readonly [string, string];
  readonly name?: readonly [string, string];
  readonly memory_mb?: readonly [number, number];
}

export interface DiffBody {
  readonly same_boot: boolean;
  readonly summary: {
    readonly appeared: number;
    readonly ended: number;
    readonly changed: number;
    readonly memory_available_change_mb: number;
  };
  readonly appeared: readonly ComparedProcess[];
  readonly ended: readonly ComparedProcess[];
  readonly changed: readonly (ComparedProcess & { readonly changes: ProcessChanges })[];
}

export interface DiffResult extends ResultHeader, DiffBody {
  /** The other triage session, or `now`. */
  readonly compared_with: string;
}

export interface StatusBody {
  readonly session_id: string;
  readonly state: TriageSessionState;
  readonly phase: SessionPhase;
  readonly progress: {
    readonly total_actions: number;
    readonly completed_actions: number;
    readonly pending_actions: number;
  };
  readonly resumable: boolean;
  readonly resume_command: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface StatusResult extends ResultHeader, StatusBody {}

export interface SessionsBody {
  readonly sessions: readonly {
    readonly session_id: string;
    readonly state: TriageSessionState | 'unreadable';
    readonly created_at: string | null;
    readonly updated_at: string | null;
  }[];
  readonly total: number;
}

export interface SessionsResult extends ResultHeader<null>, SessionsBody {}

/** One document of a triage session, with the hash of its JSON. */
export type ExportedDocument = {
  readonly [Name in DocumentName]: {
    readonly name: Name;
    readonly sha256: string;
    readonly content: Documents[Name];
  };
}[DocumentName];

export interface ExportBody {
  readonly manifest: SessionManifest;
  readonly documents: readonly ExportedDocument[];
  readonly audit: readonly Readonly<Record<string, unknown>>[];
}

export interface ExportResult extends ResultHeader, ExportBody {}

export interface ReportResult extends ResultHeader {
  readonly media_type: 'text/html';
  readonly bytes: number;
  readonly html: string;
}

export interface CapabilitiesBody {
  readonly platform: {
    readonly proc: boolean;
    /** Whether signals can be sent through pidfds; actions require this. */
    readonly pidfd: boolean;
    readonly cgroup: 'v2' | 'v1' | 'none';
    readonly cgroup_writable: boolean;
    readonly hidepid: Visibility['hidepid'];
  };
  readonly account: { readonly user_id: string; readonly may_name_other_users: boolean };
  readonly actions: readonly Action[];
  readonly classes: readonly ProcessClass[];
  readonly gates: readonly GateName[];
  readonly supervisors: readonly { readonly type: string; readonly available: boolean }[];
  readonly parameters_version: string;
  readonly budget: {
    readonly alpha_wealth: number;
    readonly kills_left_today: number;
    readonly refilled_at: string;
  };
  readonly data_folder: string;
}

export interface CapabilitiesResult extends ResultHeader<null>, CapabilitiesBody {}

/** An event of `watch`; `event` determines the other members. */
export type WatchEvent = ResultHeader<string | null> & { readonly round: number } & (
    | { readonly event: 'candidate.found' | 'candidate.changed'; readonly candidate: Candidate }
    | { readonly event: 'candidate.gone'; readonly target: TargetId }
    | {
        readonly event: 'round.ended';
        readonly summary: {
          readonly total_scanned: number;
          readonly watched: number;
          readonly news: number;
          readonly gone: number;
        };
      }
  );
