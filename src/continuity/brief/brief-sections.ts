import { excerpt } from '../../base/text.ts';
import type { EventRow } from '../events/event.ts';
import type { TaskRow } from '../tasks/task.ts';
import type { BriefArtifact, ClaimedTask, Note, TaskSummary, EventSummary } from './brief.ts';
import * as lines from './brief-lines.ts';
import type { BriefEntry, Section } from './fit-sections.ts';
import { fitTokens } from './head-and-tail.ts';
import type { BriefNotes } from './read-notes.ts';
import type { SessionFacts } from './read-session-facts.ts';
import { RULED_OUT } from './ruled-out.ts';
import { shortenFacts, summarizeEvent, type Fit } from './shorten-facts.ts';

/** Everything that a brief may contain, before the selection. */
export interface BriefSource {
  readonly facts: SessionFacts;
  readonly notes: BriefNotes;
  readonly claimed: readonly ClaimedTask[];
  /** Tasks that were completed or blocked, with their titles. */
  readonly closings: readonly EventRow[];
  readonly reports: readonly EventRow[];
  readonly runs: readonly EventRow[];
  readonly artifacts: readonly BriefArtifact[];
  readonly ready: readonly TaskRow[];
  readonly dependents: readonly TaskRow[];
}

/** Event kinds that record reasoning or decisions, not actions. */
const REASONING: ReadonlySet<string> = new Set(['reasoning', 'decision', 'task_closed']);
const RULED_OUT_KINDS: ReadonlySet<string> = new Set(['ruled_out', 'rejected', 'dead_end', 'failed_attempt']);
/** Event kinds that repeat what the task or the queue shows. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'task_created',
  'task_status',
  'task_priority',
  'task_edited',
  'task_deleted',
]);
const CLAIMED = 'Tasks that others work on now; part of what follows is theirs';
/** The newest progress comes before notes; the rest after them. */
const FIRST_PROGRESS = 4;
/** The newest requests come first of all; the rest after the files. */
const FIRST_REQUESTS = 8;

/**
 * Arranges the sections in the order of their importance; the task itself is inserted after those that `beforeTask` counts. Texts are
 * shortened to a part of the budget, so that one long text does not take the place of several others.
 */
export function arrangeSections(
  source: BriefSource,
  budgetTokens: number,
  nowMs: number,
): { sections: Section[]; beforeTask: number } {
  const fit: Fit = (text, share, cut) => fitTokens(text, Math.max(12, budgetTokens * share), cut);
  const { progress, earlier, reasoning, ruledOut } = classify(withoutRepetitions(source));
  const entries = <T>(items: readonly T[], line: (item: T, nowMs: number) => string): BriefEntry[] =>
    items.map((item) => ({ item, line: line(item, nowMs) }));
  const events = (rows: readonly EventRow[], share: number): BriefEntry[] =>
    entries(
      rows.map((row) => summarizeEvent(row, fit(row.message, share))),
      lines.eventLine,
    );
  const { requests, opening, todos, constraints, messages, givenUp, failures } = shortenFacts(
    source.facts,
    fit,
  );
  const { newest, opened, older } = groupRequests(requests, opening);
  const notes = (title: string, share: number, list: readonly Note[]): Section => {
    const short = list.map((note) => ({ ...note, value: fit(note.value, 0.1) }));
    return section('relevant_memory', title, share, entries(short, lines.noteLine));
  };
  const tasks = (rows: readonly TaskRow[]): BriefEntry[] =>
    entries(rows.map(summarizeTask), lines.summaryLine);
  const sections = [
    section('claimed', CLAIMED, 0.1, entries(shortenClaimed(source, fit), lines.claimedLine)),
    section('requests', 'Requests of the user, newest first', 0.2, entries(newest, lines.requestLine)),
    section('requests', 'First request of the newest session', 0.08, entries(opened, lines.requestLine)),
    section('todos', todoTitle(source.facts), 0.1, entries(todos, lines.todoLine)),
    notes('Directives and pinned notes', 0.12, source.notes.standing),
    section(
      'constraints',
      'Limits that the user set or lifted',
      0.14,
      entries(constraints, lines.constraintLine),
    ),
    section(
      'messages',
      'Last messages of the agent, newest first',
      0.16,
      entries(messages, lines.requestLine),
    ),
    section(
      'prior_reasoning',
      'Tasks completed or blocked, newest first',
      0.08,
      events(source.closings, 0.04),
    ),
    section('recent_events', 'Progress, newest first', 0.1, events(progress, 0.07)),
    section('prior_reasoning', 'Reasoning and decisions', 0.09, events(reasoning, 0.06)),
    section('ruled_out', 'Ruled out', 0.05, [
      ...events(ruledOut, 0.04),
      ...entries(givenUp, lines.requestLine),
    ]),
    section('failures', 'Failed last', 0.12, entries(failures, lines.failureLine)),
    section('files', 'Files edited, the last one first', 0.07, entries(source.facts.files, lines.fileLine)),
    section('requests', 'Earlier requests', 0.04, entries(older, lines.requestLine)),
    notes('Notes, the best match first', 0.16, source.notes.fitting),
    section('runs', 'Runs of work, newest first', 0.1, events(source.runs, 0.08)),
    section('artifacts', 'Recorded files', 0.05, entries(source.artifacts, lines.artifactLine)),
    section('recent_events', 'Earlier events', 0.04, events(earlier, 0.04)),
    section('pipeline', 'Next in the queue', 0.04, tasks(source.ready)),
    section('unlocks', 'Tasks that depend on this one', 0.03, tasks(source.dependents)),
  ];
  return { sections, beforeTask: 6 };
}

function shortenClaimed({ claimed }: BriefSource, fit: Fit): ClaimedTask[] {
  return claimed.map((task) => ({ ...task, title: fit(task.title, 0.03) }));
}

function todoTitle({ todos, openTodos }: SessionFacts): string {
  const which =
    openTodos > todos.length ? `the first ${todos.length} of ${openTodos} open items` : 'open items';
  return `To-do list of the last session, ${which}`;
}

/** The newest requests, the one that the newest session began with if it is not among them, and the others. */
function groupRequests(
  requests: readonly EventSummary[],
  opening: readonly EventSummary[],
): Record<'newest' | 'opened' | 'older', EventSummary[]> {
  const without = (list: readonly EventSummary[], others: readonly EventSummary[]): EventSummary[] =>
    list.filter(({ id }) => others.every((other) => other.id !== id));
  const newest = requests.slice(0, FIRST_REQUESTS);
  return { newest, opened: without(opening, newest), older: without(requests, [...newest, ...opening]) };
}

/** Leaves out the start of a run whose end is listed too, and what is listed among the closed tasks. */
function withoutRepetitions({ closings, reports, runs }: BriefSource): EventRow[] {
  const closed = new Set(closings.map(({ task_id }) => task_id));
  const ended = new Set([...reports, ...runs].filter(({ kind }) => kind === 'run_ended').map(runIdOf));
  return reports.filter(
    (row) =>
      !(row.kind === 'task_closed' && closed.has(row.task_id)) &&
      (row.kind !== 'run_started' || !ended.has(runIdOf(row))),
  );
}

function runIdOf({ metadata }: EventRow): unknown {
  return (JSON.parse(metadata) as { run_id?: unknown }).run_id;
}

function classify(
  reports: readonly EventRow[],
): Record<'progress' | 'earlier' | 'reasoning' | 'ruledOut', EventRow[]> {
  const isRuledOut = ({ kind, message }: EventRow): boolean =>
    RULED_OUT_KINDS.has(kind) || (kind !== 'task_closed' && RULED_OUT.test(message));
  const ruledOut = reports.filter(isRuledOut);
  const others = reports.filter((row) => !ruledOut.includes(row));
  const reasoning = others.filter(({ kind }) => REASONING.has(kind));
  const progress = others
    .filter(({ kind }) => !REASONING.has(kind) && !BOOKKEEPING.has(kind))
    .slice(0, FIRST_PROGRESS);
  const earlier = others.filter((row) => !reasoning.includes(row) && !progress.includes(row));
  return {
    progress,
    earlier: earlier.slice(0, 11),
    reasoning: reasoning.slice(0, 6),
    ruledOut: ruledOut.slice(0, 4),
  };
}

function section(list: string, title: string, share: number, entries: readonly BriefEntry[]): Section {
  return { list, title, share, entries };
}

function summarizeTask({ id, title, status, priority }: TaskRow): TaskSummary {
  return { id, title: excerpt(title, 160), status, priority };
}
