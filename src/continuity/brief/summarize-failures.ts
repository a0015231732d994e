import { isSearch } from '../command-output/command-words.ts';
import { commandKey, includesCommand } from '../command-output/same-command.ts';
import { excerptOutput } from '../command-output/excerpt-output.ts';
import type { EventRow } from '../events/event.ts';
import type { Failure } from './brief.ts';
import { headAndTail } from './head-and-tail.ts';
import { isAfter } from './newest-first.ts';
import { recordedText } from './recorded-text.ts';

const SHOWN = 3;
/** What a host reports when the user stopped a call. */
const INTERRUPTED = /^\[Request interrupted by user/u;

/** The last failures, each command once: unresolved ones first, commands before other tools. */
export function summarizeFailures(failures: readonly EventRow[], tools: readonly EventRow[]): Failure[] {
  const found = new Map<string, { readonly failure: Failure; readonly rank: number }>();
  const calls = tools.map((event) => ({
    event,
    call: recordedText(event.metadata, ['command', 'file_path']),
  }));
  for (const { id, message, metadata, created_at } of failures) {
    const command = recordedText(metadata, ['command']);
    const subject = command ?? recordedText(metadata, ['file_path']);
    const tool = /^([^:\n]{1,100}): /u.exec(message)?.[1] ?? '';
    const error = message.slice(tool === '' ? 0 : tool.length + 2);
    if (INTERRUPTED.test(error)) continue;
    if (command !== undefined && isSearch(command) && isEmptyResult(error)) continue;
    const same = `${tool} ${command === undefined ? (subject ?? message) : commandKey(command)}`;
    if (found.has(same)) continue;
    const isEnded = ({ event, call }: (typeof calls)[number]): boolean =>
      call !== undefined &&
      subject !== undefined &&
      isAfter(event, { id, created_at }) &&
      (command === undefined ? call === subject : includesCommand(call, command));
    const succeeded_later = calls.some(isEnded);
    const failure = {
      event_id: String(id),
      tool,
      ...(subject !== undefined && { command: headAndTail(subject, 200) }),
      error: excerptOutput(error, 900),
      created_at,
      succeeded_later,
    };
    found.set(same, { failure, rank: (succeeded_later ? 2 : 0) + (command === undefined ? 1 : 0) });
  }
  return [...found.values()]
    .toSorted((left, right) => left.rank - right.rank)
    .slice(0, SHOWN)
    .map(({ failure }) => failure);
}

/** Exit status 1 without an error message: a search found nothing, or files differ. */
function isEmptyResult(error: string): boolean {
  return /^(?:exit code|exit status|Exit code) 1:?\s*(?:$|(?![\s\S]*(?:error|No such file|not found|invalid|usage)))/iu.test(
    error.trim(),
  );
}
