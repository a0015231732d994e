import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { baseName, plural } from '../base/format.ts';
import { query, select } from '../base/router.ts';
import { useKeys } from '../base/use-keys.ts';
import type { RunRow } from '../base/use-runs.ts';
import { announce } from '../parts/announcement.tsx';
import { CommandLine } from '../parts/command-line.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Empty, Loading } from '../parts/notice.tsx';
import { RunView } from '../parts/run-view.tsx';
import { Age } from '../parts/time.tsx';

interface InboxProps {
  readonly runs: readonly RunRow[] | undefined;
  readonly refresh: () => void;
}

/** Everything that waits for a person; after a decision the next one is selected. */
export default function InboxPage({ runs, refresh }: InboxProps): JSX.Element {
  const waiting = (runs ?? []).filter(({ status }) => status === 'waiting').toReversed();
  const chosen = query.value.get('run') ?? undefined;
  const at = waiting.findIndex(({ run_id }) => run_id === chosen);
  const first = waiting[0]?.run_id;
  useEffect(() => {
    if (chosen === undefined && first !== undefined) select({ run: first });
  }, [chosen, first]);
  const move = (step: number): void => {
    const next = waiting[Math.max(0, Math.min(waiting.length - 1, at + step))];
    if (next !== undefined) choose(next.run_id);
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const onDecided = (message: string): void => {
    announce(message);
    const next = waiting[at + 1] ?? waiting.find(({ run_id }) => run_id !== chosen);
    if (next !== undefined) choose(next.run_id);
    refresh();
  };
  if (runs === undefined) return <Loading />;
  return (
    <>
      <div class="page-head">
        <h1>Inbox</h1>
        <span class="muted">{waiting.length === 0 ? '' : `${plural(waiting.length, 'run')} waiting`}</span>
        <span class="spacer" />
        <CommandLine line="deed work list --status waiting" />
      </div>
      {waiting.length === 0 && chosen === undefined ? (
        <Empty command="deed work run plan.yaml">
          Nothing waits for you. Items with “approval: true” in a plan wait here.
        </Empty>
      ) : (
        <div class="inbox">
          <ul class="inbox-list" aria-label="Waiting runs">
            {waiting.map((run) => (
              <li key={run.run_id}>
                <a
                  href={`/inbox?run=${run.run_id}`}
                  class={run.run_id === chosen ? 'row selected' : 'row'}
                  aria-current={run.run_id === chosen ? 'true' : undefined}
                >
                  <Glyph state="waits" />
                  <span class="row-title">{run.item_id}</span>
                  <span class="row-side">
                    <Age at={run.at} />
                  </span>
                  <span class="row-line muted">
                    {baseName(run.root)} · {run.agent_id} · {plural(run.files, 'file')}
                  </span>
                </a>
              </li>
            ))}
          </ul>
          <section class="panel inbox-run" aria-label="Selected run">
            {chosen !== undefined && <RunView key={chosen} runId={chosen} onDecided={onDecided} />}
          </section>
        </div>
      )}
    </>
  );
}

function choose(run: string): void {
  select({ run, tab: undefined });
}
