import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { groupCandidates, scan, scanWhenOlder } from '../base/triage-plan.ts';
import { Glyph } from './glyph.tsx';
import { More } from './more.tsx';
import { Empty, Failure } from './notice.tsx';
import { Panel } from './panel.tsx';

/** A scan takes a second of processor time. */
const FRESH_MS = 10 * 60_000;
/** The server answers nothing else during a scan: what runs and what waits is read first. */
const SCAN_AFTER_MS = 1000;
const MAX_ROWS = 5;

/** The processes that agents left running and that the plan would end, pause or slow down. */
export function LeftRunningPanel(): JSX.Element {
  useEffect(() => {
    const timer = setTimeout(() => scanWhenOlder(FRESH_MS), SCAN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const { plan, error } = scan.value;
  const found =
    plan === undefined
      ? []
      : groupCandidates(plan).flatMap(({ id, candidates }) =>
          id === 'end' || id === 'calm' ? candidates : [],
        );
  return (
    <Panel
      title="Left running by agents"
      count={plan === undefined ? undefined : found.length}
      command="deed triage plan"
    >
      {error !== undefined && <Failure error={error} />}
      {plan === undefined && error === undefined && <Empty>Scanning the processes…</Empty>}
      {plan !== undefined && found.length === 0 && <Empty>No process of an agent was left running.</Empty>}
      <ul class="rows">
        {found.slice(0, MAX_ROWS).map(({ pid, start_id, cmd_short, action_rationale, blast_radius }) => (
          <li key={start_id}>
            <a class="row" href={`/processes?process=${encodeURIComponent(start_id)}`}>
              <Glyph state="waits" />
              <span class="row-title mono">{cmd_short}</span>
              <span class="row-side number">{Math.round(blast_radius.memory_mb)} MB</span>
              <span class="row-line muted">
                pid {pid} · {action_rationale}
              </span>
            </a>
          </li>
        ))}
        <More count={found.length - MAX_ROWS} href="/processes" />
      </ul>
    </Panel>
  );
}
