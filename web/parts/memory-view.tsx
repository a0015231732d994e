import type { JSX } from 'preact';
import { callerName } from '../base/format.ts';
import { write } from '../base/api.ts';
import type { Reads } from '../base/commands.ts';
import { planWrite } from '../base/planned-write.ts';
import { select } from '../base/router.ts';
import { session } from '../base/session.ts';
import { useAction } from '../base/use-action.ts';
import { useRead } from '../base/use-read.ts';
import { announce } from './announcement.tsx';
import { CommandLine } from './command-line.tsx';
import { Failure } from './notice.tsx';
import { PlannedButton } from './planned-button.tsx';
import { Age } from './time.tsx';

type Memory = Reads['memory list']['output']['items'][number];

/** One memory: its value, who wrote it, whether it is still right, and the values before it. */
export function MemoryView({ memory }: { readonly memory: Memory }): JSX.Element {
  const place = placeOf(memory);
  const { data } = useRead('memory history', place, ({ events }) => events.length > 0);
  const { isBusy, error, run } = useAction();
  const confirmValue = (): Promise<boolean> =>
    run(async () => {
      await write('memory confirm', place);
      announce(`Confirmed: ${memory.key}`);
    });
  return (
    <section class="panel side-panel" aria-label="Selected memory">
      <header class="panel-head">
        <h2 class="clip">{memory.key}</h2>
        <span class="spacer" />
        <button type="button" class="small" onClick={() => select({ key: undefined })}>
          Close
        </button>
      </header>
      <div class="task-body">
        <pre class="memory-text">{memory.value}</pre>
        <p class="muted">
          {memory.kind} · {memory.scope}
          {memory.scope_id !== undefined && ` ${memory.scope_id}`} · by {callerName(memory.source_agent)} ·
          written <Age at={memory.updated_at} /> · confirmed <Age at={memory.confirmed_at} />
          {memory.expires_at !== undefined && ` · expires ${memory.expires_at.slice(0, 10)}`}
        </p>
        {session.value?.read_only === false && (
          <div class="decision-buttons">
            <button type="button" class="primary" disabled={isBusy} onClick={() => void confirmValue()}>
              Still right
            </button>
            <PlannedButton
              label="Retire"
              done={`Retired: ${memory.key}`}
              plan={() => planWrite('memory delete', place)}
              onDone={() => select({ key: undefined })}
            />
          </div>
        )}
        {error !== undefined && <Failure error={error} />}
        <h3 class="task-heading">History</h3>
        <ul class="event-rows">
          {(data?.items ?? []).map((version) => (
            <li key={version.id}>
              <span class="muted">
                <Age at={version.updated_at} /> · {callerName(version.source_agent)}
                {version.superseded_at !== undefined && ' · replaced'}
              </span>
              <span class="event-message">{version.value}</span>
            </li>
          ))}
        </ul>
        <CommandLine line={`deed memory history --key ${memory.key} --scope ${memory.scope}`} />
      </div>
    </section>
  );
}

function placeOf({ key, scope, scope_id }: Memory): Reads['memory history']['input'] {
  return {
    key,
    scope: scope as 'global' | 'project' | 'task' | 'agent',
    ...(scope_id !== undefined && { scope_id }),
  };
}
