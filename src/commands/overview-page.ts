import { durationInWords } from '../base/ago-in-words.ts';
import type { Paint } from '../base/paint.ts';
import { plainText } from '../base/plain-text.ts';
import type { JsonObject } from '../base/json.ts';

type Rows = readonly Readonly<Record<string, string | number>>[];

/** The overview as a page for people. */
export function renderOverview(data: JsonObject, paint: Paint): string {
  const running = data.running as Rows;
  const waiting = data.waiting as Rows;
  const next = (data.next as Rows).filter(({ command }) => !plainText(command).includes('--compact'));
  const problems = (data.problems ?? []) as Rows;
  const width = Math.max(...next.map(({ command }) => plainText(command).length));
  return [
    `${paint.bold(`${plainText(data.tool)} ${plainText(data.version)}`)}: the operating layer for AI agents`,
    '',
    ...section(
      'Problems',
      problems,
      ({ code, message, fix }) => `${code}: ${plainText(message)}\n    ${plainText(fix)}`,
      paint.red,
    ),
    ...section(
      'Waiting for you',
      waiting,
      ({ what, command }) => `${plainText(what)}\n    ${plainText(command)}`,
      paint.yellow,
    ),
    ...section(
      'Running',
      running,
      ({ job_id, items, progress, running_seconds }) =>
        `${job_id}  ${Math.round(Number(progress) * 100)} % of ${items} items, for ${durationInWords(Number(running_seconds) * 1000)}`,
      paint.bold,
    ),
    `${paint.bold('Tasks')}  ${tasksInWords(data.tasks as Record<string, number> | null)}`,
    '',
    paint.bold('Next'),
    ...next.map(({ command, why }) => `  ${plainText(command).padEnd(width)}  ${paint.dim(plainText(why))}`),
    '',
    `Run "${plainText(data.tool)} help" for the commands, "${plainText(data.tool)} help <command>" for one of them.`,
    '',
  ].join('\n');
}

function tasksInWords(tasks: Record<string, number> | null): string {
  if (tasks === null) return 'unknown, because the store cannot be read';
  return `${tasks.pending} pending, ${tasks.in_progress} in progress, ${tasks.blocked} blocked`;
}

function section(
  title: string,
  rows: Rows,
  show: (row: Rows[number]) => string,
  style: (text: string) => string,
): string[] {
  return rows.length === 0 ? [] : [style(title), ...rows.map((row) => `  ${show(row)}`), ''];
}
