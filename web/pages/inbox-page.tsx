import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { plural } from '../base/format.ts';
import { query, select } from '../base/router.ts';
import type { InboxItem } from '../base/use-inbox.ts';
import { useChosenInView, useCurrentInView } from '../base/use-current-in-view.ts';
import { useListKeys } from '../base/use-list-keys.ts';
import { announce } from '../parts/announcement.tsx';
import { CommandLine } from '../parts/command-line.tsx';
import { InboxRows } from '../parts/inbox-rows.tsx';
import { Empty, Loading } from '../parts/notice.tsx';
import { RunView } from '../parts/run-view.tsx';
import { SessionView } from '../parts/session-view.tsx';
import { StoppedJob } from '../parts/stopped-job.tsx';
import { TaskView } from '../parts/task-view.tsx';

interface InboxProps {
  readonly inbox: readonly InboxItem[] | undefined;
  readonly refresh: () => void;
}

const KINDS = ['run', 'session', 'task'] as const;

/** Everything that waits for a person; after a decision the next one is selected. */
export default function InboxPage({ inbox, refresh }: InboxProps): JSX.Element {
  const items = inbox ?? [];
  const chosen = chosenItem();
  const at = items.findIndex(({ id }) => id === chosen?.id);
  const [first] = items;
  useEffect(() => {
    if (chosen === undefined && first !== undefined) choose(first);
  }, [chosen === undefined, first?.id]);
  useListKeys(items, ({ id }) => id === chosen?.id, choose);
  const list = useRef<HTMLUListElement>(null);
  useCurrentInView(list, chosen?.id);
  const view = useRef<HTMLDivElement>(null);
  useChosenInView(view, chosen?.id);
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const onDecided = (message: string, jobId: string | null): void => {
    announce(message);
    if (jobId !== null) setDecided((jobs) => new Set([...jobs, jobId]));
    const next = items[at + 1] ?? items.find(({ id }) => id !== chosen?.id);
    if (next !== undefined) choose(next);
    refresh();
  };
  if (inbox === undefined) return <Loading />;
  return (
    <>
      <div class="page-head">
        <h1>Inbox</h1>
        <span class="muted">{items.length === 0 ? '' : `${plural(items.length, 'item')} waiting`}</span>
        <span class="spacer" />
        <CommandLine line="deed work list --status waiting" />
      </div>
      {[...decided].map((jobId) => (
        <StoppedJob key={jobId} jobId={jobId} />
      ))}
      {items.length === 0 && chosen === undefined ? (
        <Empty command="deed work run plan.yaml">
          Nothing waits for you. Items with “approval: true” in a plan, tool calls that need a permission, and
          blocked tasks wait here.
        </Empty>
      ) : (
        <div class="inbox">
          <ul class="inbox-list" aria-label="Waiting" ref={list}>
            <InboxRows items={items} selected={chosen?.id} />
          </ul>
          <div class="inbox-view" ref={view}>
            <ChosenView chosen={chosen} items={items} onDecided={onDecided} />
          </div>
        </div>
      )}
    </>
  );
}

type Chosen = Pick<InboxItem, 'kind' | 'id'>;

interface ChosenViewProps {
  readonly chosen: Chosen | undefined;
  readonly items: readonly InboxItem[];
  readonly onDecided: (message: string, jobId: string | null) => void;
}

function ChosenView({ chosen, items, onDecided }: ChosenViewProps): JSX.Element {
  if (chosen?.kind === 'task') {
    const tasks = items.flatMap(({ task }) => task ?? []);
    const task = tasks.find(({ id }) => id === chosen.id);
    if (task === undefined) return <Empty>This task no longer waits.</Empty>;
    const byId = new Map(tasks.map((each) => [each.id, each]));
    return <TaskView key={chosen.id} task={task} tasks={tasks} byId={byId} hrefOf={taskHref} />;
  }
  return (
    <section class="panel inbox-run" aria-label="Selected item">
      {chosen?.kind === 'run' && <RunView key={chosen.id} runId={chosen.id} onDecided={onDecided} />}
      {chosen?.kind === 'session' && <SessionView key={chosen.id} id={chosen.id} />}
    </section>
  );
}

function taskHref(id: string | undefined): string {
  return id === undefined ? '/inbox' : `/tasks?task=${id}`;
}

function chosenItem(): Chosen | undefined {
  const kind = KINDS.find((name) => query.value.has(name));
  return kind === undefined ? undefined : { kind, id: query.value.get(kind) ?? '' };
}

function choose({ kind, id }: Chosen): void {
  select({ run: undefined, session: undefined, task: undefined, tab: undefined, [kind]: id });
}
