import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { plural } from '../base/format.ts';
import { query, select } from '../base/router.ts';
import { groupCandidates, scan, scanWhenOlder, startScan, type Candidate } from '../base/triage-plan.ts';
import { useChosenInView, useCurrentInView } from '../base/use-current-in-view.ts';
import { useListKeys } from '../base/use-list-keys.ts';
import { useRead } from '../base/use-read.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { Empty, Failure, Loading } from '../parts/notice.tsx';
import { OtherHosts } from '../parts/other-hosts.tsx';
import { ProcessView } from '../parts/process-view.tsx';
import { ProtectedPrograms } from '../parts/protected-programs.tsx';
import { Age } from '../parts/time.tsx';

/** A plan is valid for 15 minutes; a page that is opened again shows it for a shorter time. */
const FRESH_MS = 60_000;

/** The processes that agents may have left running, with the evidence and what can be done. */
export default function ProcessesPage(): JSX.Element {
  useEffect(() => scanWhenOlder(FRESH_MS), []);
  const { plan, error, isBusy } = scan.value;
  const groups = plan === undefined ? [] : groupCandidates(plan);
  const all = groups.flatMap(({ candidates }) => candidates);
  const chosen = query.value.get('process') ?? all[0]?.start_id;
  const selected = all.find(({ start_id }) => start_id === chosen);
  useListKeys(
    all,
    ({ start_id }) => start_id === chosen,
    ({ start_id }) => select({ process: start_id }),
  );
  // No event reports a change of this list; people change it here.
  const programs = useRead('triage protect list', {}, () => false);
  const rescan = (): void => {
    programs.refresh();
    void startScan();
  };
  const view = useRef<HTMLElement>(null);
  useChosenInView(view, chosen);
  return (
    <>
      <div class="page-head">
        <h1>Processes</h1>
        {plan !== undefined && (
          <span class="muted">
            {plural(plan.summary.total_scanned, 'process', 'processes')} scanned{' '}
            <Age at={plan.generated_at} />,{' '}
            {plan.summary.kill_recommended === 0
              ? 'none left running by agents'
              : `${plan.summary.kill_recommended} left running with ${Math.round(plan.summary.total_recoverable_mb)} MB`}
          </span>
        )}
        <span class="spacer" />
        <button type="button" disabled={isBusy} aria-busy={isBusy} onClick={() => void startScan()}>
          {isBusy ? 'Scanning…' : 'Scan again'}
        </button>
        <CommandLine line="deed triage plan" />
      </div>
      <OtherHosts />
      {error !== undefined && <Failure error={error} />}
      {plan === undefined && error === undefined && <Loading />}
      {plan !== undefined && all.length === 0 && (
        <Empty command="deed triage plan">
          No process needs attention: all are in use, protected, or not an agent’s.
        </Empty>
      )}
      {plan !== undefined && all.length > 0 && (
        <div class="two-panes">
          <Candidates groups={groups} chosen={chosen} />
          <section class="panel pane-view" aria-label="Selected process" ref={view}>
            {selected !== undefined && (
              <ProcessView
                key={selected.start_id}
                candidate={selected}
                session={plan.session_id}
                onChanged={rescan}
              />
            )}
          </section>
        </div>
      )}
      <ProtectedPrograms list={programs} onChanged={rescan} />
    </>
  );
}

interface CandidatesProps {
  readonly groups: ReturnType<typeof groupCandidates>;
  readonly chosen: string | undefined;
}

function Candidates({ groups, chosen }: CandidatesProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  useCurrentInView(list, chosen);
  return (
    <div class="panel pane-list" tabIndex={0} role="region" aria-label="Candidates" ref={list}>
      {groups.map(({ id, title, candidates }) => (
        <section key={id} aria-label={title}>
          <h2 class="group-head">
            {title} <span class="count number">{candidates.length}</span>
          </h2>
          <ul class="rows">
            {candidates.map((candidate) => (
              <Row
                key={candidate.start_id}
                candidate={candidate}
                isSelected={candidate.start_id === chosen}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const CLASSES = {
  abandoned: 'abandoned',
  useful: 'in use',
  useful_bad: 'in use, but misbehaving',
  zombie: 'exited, not reaped',
} as const;

function Row({
  candidate,
  isSelected,
}: {
  readonly candidate: Candidate;
  readonly isSelected: boolean;
}): JSX.Element {
  const { pid, start_id, cmd_short, posterior, blast_radius } = candidate;
  return (
    <li>
      <a
        class={isSelected ? 'row process selected' : 'row process'}
        href={`/processes?process=${encodeURIComponent(start_id)}`}
        aria-current={isSelected ? 'true' : undefined}
      >
        <span class="row-title mono">{cmd_short}</span>
        <span class="row-side number">{Math.round(blast_radius.memory_mb)} MB</span>
        <span class="row-line muted">
          pid {pid} · {Math.round(100 * posterior[candidate.classification])} %{' '}
          {CLASSES[candidate.classification]}
        </span>
      </a>
    </li>
  );
}
