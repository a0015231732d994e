import type { JSX } from 'preact';
import { eventInWords, kindInWords } from '../base/event-words.ts';
import { callerName } from '../base/format.ts';
import type { JournalEvent } from '../base/use-events.ts';
import { Age } from './time.tsx';

interface EventRowsProps {
  readonly events: readonly JournalEvent[];
  /** The task whose events they are. */
  readonly task: string;
}

/** Events of the journal, newest first, one or two lines each. */
export function EventRows({ events, task }: EventRowsProps): JSX.Element {
  return (
    <ul class="event-rows">
      {events.map((event) => {
        const words = eventInWords(event, new Map(), task);
        return (
          <li key={event.id}>
            <span class="muted">
              <Age at={event.created_at} /> · {callerName(event.agent_name)} · {kindInWords(event.kind)}
            </span>
            {words !== '' && <span class="event-message">{words}</span>}
          </li>
        );
      })}
    </ul>
  );
}
