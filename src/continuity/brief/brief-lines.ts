import { agoInWords } from '../../base/ago-in-words.ts';
import type { Task } from '../tasks/task.ts';
import type {
  BriefArtifact,
  ClaimedTask,
  Constraint,
  EditedFile,
  EventSummary,
  Failure,
  Note,
  TaskSummary,
  Todo,
} from './brief.ts';
import { escapeRecorded } from './frame.ts';

/*
 * The lines of a prompt, one or more for each entry of a brief. Text of the store is escaped, and lines after its first are indented, so
 * that it cannot look like another entry.
 */

export function taskLine(task: Task, nowMs: number): string {
  const { id, title, description, status, priority, blocked_reason, claim } = task;
  const claimed =
    claim === undefined
      ? ''
      : claim.expired
        ? `; the claim of ${claim.agent} has expired`
        : `; claimed by ${claim.agent} until ${claim.expires_at}`;
  const reason = blocked_reason === undefined ? '' : `; reason: ${blocked_reason}`;
  return [
    item(
      `${id}, ${status}, priority ${priority}, updated ${agoInWords(task.updated_at, nowMs)}${claimed}${reason}`,
    ),
    ...(title === '' ? [] : [text(`  Title: ${title}`)]),
    ...(description === '' ? [] : [text(`  ${description}`)]),
  ].join('\n');
}

export function claimedLine({ id, title, agent, session, expires_at }: ClaimedTask): string {
  const who = session === undefined ? agent : `${agent} (session ${session})`;
  return item(`${id}: ${title} (claimed by ${who} until ${expires_at})`);
}

export function eventLine({ kind, agent_name, message, created_at }: EventSummary, nowMs: number): string {
  // A brief leaves out the start of a run that has ended.
  const open =
    kind === 'run_started' ? ', and no end is recorded: "deed work status" tells whether it still runs' : '';
  return item(`${agoInWords(created_at, nowMs)}, ${agent_name}, ${kind}: ${message}${open}`);
}

export function requestLine({ message, created_at }: EventSummary, nowMs: number): string {
  return item(`${agoInWords(created_at, nowMs)}: ${message}`);
}

export function constraintLine({ text: sentence, created_at }: Constraint, nowMs: number): string {
  return item(`${sentence} (user, ${agoInWords(created_at, nowMs)})`);
}

export function todoLine({ text: todo, started, created_at }: Todo, nowMs: number): string {
  return item(`${todo} (${started ? 'started; ' : ''}${agoInWords(created_at, nowMs)})`);
}

export function failureLine(failure: Failure, nowMs: number): string {
  const { tool, command, error, created_at, succeeded_later } = failure;
  const what = command === undefined ? tool : `${tool} ${command}`;
  const later = succeeded_later ? ', succeeded later' : '';
  return item(`${agoInWords(created_at, nowMs)}${later}, ${what}: ${error}`);
}

export function fileLine({ file_path, edits, last_edited_at }: EditedFile, nowMs: number): string {
  const what = edits === 0 ? 'moved' : edits === 1 ? '1 edit, last' : `${edits} edits, last`;
  return item(`${file_path} (${what} ${agoInWords(last_edited_at, nowMs)})`);
}

export function noteLine(note: Note, nowMs: number): string {
  const { key, value, kind, scope, source_agent, confirmed_at, overrides } = note;
  const other = (overrides ?? []).map((overridden) => `overrides ${overridden.scope}: ${overridden.value}`);
  const source = [`${kind}, ${scope}, by ${source_agent}, ${agoInWords(confirmed_at, nowMs)}`, ...other].join(
    '; ',
  );
  return item(`${key}: ${value} (${source})`);
}

export function artifactLine({ file_path, state }: BriefArtifact): string {
  if (state === undefined) return item(file_path);
  return item(`${file_path} (${state === 'missing' ? 'no longer exists' : 'changed since it was recorded'})`);
}

export function summaryLine({ id, title, priority }: TaskSummary): string {
  return item(`${id}, priority ${priority}: ${title}`);
}

function item(line: string): string {
  return text(`- ${line}`);
}

/** Escapes text and indents all lines but the first. */
function text(lines: string): string {
  return escapeRecorded(
    lines
      .trimEnd()
      .replaceAll(/\r\n?|[\u2028\u2029]/gu, '\n')
      .replaceAll(/\n\s*\n/gu, '\n'),
  ).replaceAll('\n', '\n  ');
}
