import { signal } from '@preact/signals';
import { read, type CallError } from './api.ts';
import type { Reads } from './commands.ts';
import { noteFailure } from './session.ts';

export type TriagePlan = Reads['triage plan']['output'];
export type Candidate = TriagePlan['candidates'][number];

interface Scan {
  readonly plan?: TriagePlan;
  readonly error?: CallError;
  readonly isBusy: boolean;
  readonly atMs: number;
}

/** The last scan of the processes; pages share it, because a scan takes a second of processor time. */
export const scan = signal<Scan>({ isBusy: false, atMs: 0 });

const MAX_CANDIDATES = 300;

let isWantedAgain = false;

/** Scans all processes and makes a plan; a scan that began before a change does not know it, so another one follows. */
export async function startScan(): Promise<void> {
  if (scan.value.isBusy) {
    isWantedAgain = true;
    return;
  }
  isWantedAgain = false;
  scan.value = { ...scan.value, isBusy: true };
  try {
    const plan = await read('triage plan', { limit: MAX_CANDIDATES, include_ledger: true });
    scan.value = { plan, isBusy: false, atMs: Date.now() };
  } catch (error) {
    scan.value = { error: noteFailure(error), isBusy: false, atMs: Date.now() };
  }
  if (isWantedAgain) await startScan();
}

/** Scans unless a scan is younger than this. */
export function scanWhenOlder(ms: number): void {
  if (Date.now() - scan.value.atMs > ms) void startScan();
}

interface Group {
  readonly id: string;
  readonly title: string;
  readonly candidates: readonly Candidate[];
}

/** The candidates by what the plan recommends, the most urgent first. */
export function groupCandidates({ candidates }: TriagePlan): readonly Group[] {
  const groups = [
    { id: 'end', title: 'Recommended: end', actions: ['kill', 'restart'] },
    { id: 'calm', title: 'Recommended: pause or slow down', actions: ['pause', 'throttle'] },
    { id: 'review', title: 'Review first', actions: ['review'] },
    { id: 'spare', title: 'Keep', actions: ['spare'] },
  ];
  return groups
    .map(({ id, title, actions }) => ({
      id,
      title,
      candidates: candidates.filter(({ recommended_action }) => actions.includes(recommended_action)),
    }))
    .filter((group) => group.candidates.length > 0);
}

/** One piece of evidence: positive for abandoned, negative for in use. */
export interface Evidence {
  readonly name: string;
  readonly logOdds: number;
  /** What it says in words. */
  readonly words: string;
}

const MIN_LOG_ODDS = 0.05;

/** The evidence for and against a process being abandoned, the strongest first. */
export function evidenceOf({ evidence_ledger = [] }: Candidate): readonly Evidence[] {
  return evidence_ledger
    .flatMap(({ term, cell, log_odds }) =>
      typeof term === 'string' && typeof log_odds === 'number' && Math.abs(log_odds) >= MIN_LOG_ODDS
        ? [{ name: nameOf(term, cell), logOdds: log_odds, words: inWords(log_odds) }]
        : [],
    )
    .toSorted((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds));
}

function nameOf(term: string, cell: unknown): string {
  if (term === 'prior') return 'before any evidence';
  if (term === 'grounds') return 'no reason to keep it';
  if (typeof cell !== 'string') return term.replaceAll('_', ' ');
  const words = cell.startsWith(term) ? cell : `${term}: ${cell}`;
  return words.replaceAll('_', ' ');
}

function inWords(logOdds: number): string {
  const times = Math.exp(Math.abs(logOdds));
  const factor = times < 1000 ? times.toFixed(1) : 'over 1000';
  return `${factor} times as likely if ${logOdds > 0 ? 'abandoned' : 'in use'}`;
}
