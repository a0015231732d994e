import type { JSX } from 'preact';
import { callerName } from '../base/format.ts';
import type { JournalEvent } from '../base/use-events.ts';
import { Age } from './time.tsx';

/** Events of the journal, newest first, one or two lines each. */
export function EventRows({ events }: { readonly events: readonly JournalEvent[] }): JSX.Element {
  return (
    <ul class="event-rows">
      {events.map(({ id, kind, agent_name, message, created_at }) => (
        <li key={id}>
          <span class="muted">
            <Age at={created_at} /> · {callerName(agent_name)} · {kind}
          </span>
          {message !== '' && <span class="event-message">{message}</span>}
        </li>
      ))}
    </ul>
  );
}
