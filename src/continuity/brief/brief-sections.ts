import { excerpt } from '../../base/text.ts';
import type { EventRow } from '../events/event.ts';
import type { TaskRow } from '../tasks/task.ts';
import type { BriefArtifact, EventSummary, TaskSummary } from './brief.ts';
import * as lines from './brief-lines.ts';
import type { Entry, Section } from './fit-sections.ts';
import { headAndTail } from './head-and-tail.ts';
import type { BriefNotes } from './read-notes.ts';
import type { SessionFacts } from './read-session-facts.ts';

/** Everything that a brief may contain, before the selection. */
export interface BriefSource {
  readonly facts: SessionFacts;
  readonly notes: BriefNotes;
  readonly reports: readonly EventRow[];
  readonly runs: readonly EventRow[];
  readonly artifacts: readonly BriefArtifact[];
  readonly ready: readonly TaskRow[];
  readonly dependents: readonly TaskRow[];
}

/** Event kinds that record reasoning or decisions, not actions. */
const REASONING: ReadonlySet<string> = new Set(['reasoning', 'decision', 'task_closed']);
const RULED_OUT_KINDS: ReadonlySet<string> = new Set(['ruled_out', 'rejected', 'dead_end', 'failed_attempt']);
const RULED_OUT =
  /\b(?:ruled? out|ruling out|dead end|(?:did|does) ?n[o'’]t (?:work|help)|tried .{0,80}\bbut\b|rejected|abandoned|gave up on|reverted)\b/iu;
/** Event kinds that the task itself or the queue tells about. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'task_created',
  'task_status',
  'task_priority',
  'task_deleted',
]);
/** The newest progress comes before notes; the rest after them. */
const FIRST_PROGRESS = 4;

/** Arranges the sections in the order of their importance; the task itself is inserted after those that `beforeTask` counts. */
export function arrangeSections(
  source: BriefSource,
  nowMs: number,
): { sections: Section[]; beforeTask: number } {
  const { facts, notes, reports } = source;
  const isRuledOut = ({ kind, message }: EventRow): boolean =>
    RULED_OUT_KINDS.has(kind) || (kind !== 'task_closed' && RULED_OUT.test(message));
  const ruledOut = reports.filter(isRuledOut);
  const reasoning = reports.filter((row) => REASONING.has(row.kind) && !ruledOut.includes(row));
  const others = reports.filter((row) => !REASONING.has(row.kind) && !ruledOut.includes(row));
  const progress = others.filter(({ kind }) => !BOOKKEEPING.has(kind));
  const earlier = others.filter((row) => !progress.slice(0, FIRST_PROGRESS).includes(row));
  const events = (rows: readonly EventRow[], length: number): Entry[] =>
    rows.map((row) => entry(summarizeEvent(row, length), (event) => lines.eventLine(event, nowMs)));
  const shownRequest = headAndTail(facts.requests[0]?.message ?? '', REQUEST_CHARACTERS);
  const constraints = facts.constraints.filter(({ text }) => !shownRequest.includes(text));
  const asEntries = <T>(items: readonly T[], line: (item: T, nowMs: number) => string): Entry[] =>
    items.map((item) => entry(item, (value) => line(value, nowMs)));
  const sections: Section[] = [
    section(
      'requests',
      'Requests of the user, newest first',
      0.18,
      facts.requests.map((row, index) =>
        entry(summarizeEvent(row, index === 0 ? REQUEST_CHARACTERS : 300), (event) =>
          lines.requestLine(event, nowMs),
        ),
      ),
    ),
    section(
      'relevant_memory',
      'Directives and pinned notes',
      0.12,
      asEntries(notes.standing, lines.noteLine),
    ),
    section('constraints', 'Limits that the user set', 0.1, asEntries(constraints, lines.constraintLine)),
    section('recent_events', 'Progress, newest first', 0.1, events(progress.slice(0, FIRST_PROGRESS), 500)),
    section('prior_reasoning', 'Reasoning and decisions', 0.09, events(reasoning.slice(0, 6), 400)),
    section('ruled_out', 'Ruled out', 0.05, events(ruledOut.slice(0, 4), 300)),
    section('failures', 'Failed last', 0.12, asEntries(facts.failures, lines.failureLine)),
    section('files', 'Files edited, the last one first', 0.07, asEntries(facts.files, lines.fileLine)),
    section('relevant_memory', 'Notes, the best match first', 0.16, asEntries(notes.fitting, lines.noteLine)),
    section('runs', 'Runs of work, newest first', 0.1, events(source.runs, 500)),
    section('artifacts', 'Recorded files', 0.05, asEntries(source.artifacts, lines.artifactLine)),
    section('recent_events', 'Earlier events', 0.04, events(earlier.slice(0, 11), 300)),
    section(
      'pipeline',
      'Next in the queue',
      0.04,
      asEntries(source.ready.map(summarizeTask), lines.summaryLine),
    ),
    section(
      'unlocks',
      'Tasks that depend on this one',
      0.03,
      asEntries(source.dependents.map(summarizeTask), lines.summaryLine),
    ),
  ];
  return { sections, beforeTask: 3 };
}

const REQUEST_CHARACTERS = 900;

function section(list: string, title: string, share: number, entries: readonly Entry[]): Section {
  return { list, title, share, entries };
}

function entry<T>(item: T, line: (item: T) => string): Entry {
  return { item, line: line(item) };
}

function summarizeEvent(row: EventRow, length: number): EventSummary {
  return {
    id: String(row.id),
    kind: row.kind,
    agent_name: row.agent_name,
    message: headAndTail(row.message, length),
    created_at: row.created_at,
  };
}

function summarizeTask({ id, title, status, priority }: TaskRow): TaskSummary {
  return { id, title: excerpt(title, 160), status, priority };
}
