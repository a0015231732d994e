import type { Observation } from '../features/observation.ts';
import type { ProcessIndex } from '../features/process-index.ts';
import type { Kind } from '../kinds/find-kind.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import type { FeedbackEntry } from '../steering/steering.ts';
import type { DeepFacts, ProcessFacts, ProcessSnapshot, UseFacts } from '../process-snapshot.ts';

/** What the vetoes are decided on. */
export interface VetoFacts {
  readonly process: ProcessFacts;
  readonly deep: DeepFacts;
  readonly use: UseFacts;
  readonly observation: Observation;
  readonly kind: Kind | undefined;
  readonly ageMs: number;
  /** The CPU time of the process in an earlier snapshot. */
  readonly earlier: EarlierReading | undefined;
  /** What a user said about its command. */
  readonly feedback?: FeedbackEntry | undefined;
  readonly snapshot: ProcessSnapshot;
  readonly index: ProcessIndex<ProcessFacts>;
  readonly parameters: Pick<Parameters, 'vetoes' | 'grounds'>;
}

export interface EarlierReading {
  readonly atMs: number;
  readonly cpuTicks: number;
}

/** Returns why a process must not be acted on automatically; undefined when this veto does not apply. */
export type FindVeto = (facts: VetoFacts) => string | undefined;

export const VETO_NAMES = [
  'unreadable',
  'feedback',
  'kind',
  'desktop',
  'connection',
  'listener',
  'streams',
  'device',
  'lock',
  'journal',
  'recent_write',
  'progress',
  'job_control',
  'debugger',
  'nohup',
  'living_parent',
  'age',
  'descendant',
] as const;

export type VetoName = (typeof VETO_NAMES)[number];

/** A reason against every automatic action, regardless of the odds. */
export interface Veto {
  readonly veto: VetoName;
  readonly reason: string;
}

/** Whether deed's own mark shows that the run or agent that started the process has ended. */
export function hasMarkOfDeed({ observation }: Pick<VetoFacts, 'observation'>): boolean {
  return observation.anchor === 'ended_run' || observation.anchor === 'ended_agent';
}

export const MINUTE_MS = 60_000;

export function describeSpan(milliseconds: number): string {
  const minutes = milliseconds / MINUTE_MS;
  if (minutes < 1) return `${Math.round(milliseconds / 1000)} s`;
  return minutes < 120 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`;
}
