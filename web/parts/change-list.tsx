import type { JSX } from 'preact';
import type { Preview } from '../base/api.ts';
import { plural } from '../base/format.ts';
import { revealName } from '../base/reveal.ts';

const MAX_SHOWN = 12;

/** What a confirmed write would change. */
export function ChangeList({ changes }: Pick<Preview, 'changes'>): JSX.Element {
  const hidden = changes.length - MAX_SHOWN;
  return (
    <div class="changes">
      <p>
        <strong>
          {changes.length === 0 ? 'No file changes' : `This makes ${plural(changes.length, 'change')}`}
        </strong>
      </p>
      <ul>
        {changes.slice(0, MAX_SHOWN).map(({ action, resource, id }) => (
          <li key={`${action} ${resource} ${id}`}>
            {action} <span class="muted">{resource}</span> <code>{revealName(id)}</code>
          </li>
        ))}
        {hidden > 0 && <li>and {hidden} more</li>}
      </ul>
    </div>
  );
}
