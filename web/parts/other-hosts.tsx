import type { JSX } from 'preact';
import { formatDuration, plural } from '../base/format.ts';
import { useFleet } from '../base/use-fleet.ts';
import { Glyph } from './glyph.tsx';
import { Panel } from './panel.tsx';
import { MeasuredAge } from './time.tsx';

/** What is left running on the hosts of the fleet, by their own reports. It is terminated there, not here. */
export function OtherHosts(): JSX.Element | null {
  const { data } = useFleet('triage fleet');
  if (data === undefined || data.hosts.length === 0) return null;
  return (
    <Panel title="Left running on all hosts" command="deed triage fleet">
      <ul class="rows">
        {data.hosts.map(
          ({ host, reported_at, age_seconds: age, problem, left_running, memory_mb, worst }) => (
            <li key={host} class="row">
              <Glyph state={problem !== null ? 'failed' : left_running > 0 ? 'waits' : 'done'} />
              <span class="row-title">{host}</span>
              <span class="row-side">
                <span>
                  {problem !== null
                    ? 'not scanned'
                    : left_running === 0
                      ? 'nothing left running'
                      : `${plural(left_running, 'process', 'processes')}, ${Math.round(memory_mb)} MB`}
                </span>
                <MeasuredAge at={reported_at} seconds={age} />
              </span>
              {problem !== null && <span class="row-line muted">{problem}</span>}
              {worst.map(({ pid, command, age_seconds, reason }) => (
                <span key={pid} class="row-line muted">
                  pid {pid} · <span class="mono">{command}</span> · {formatDuration(age_seconds * 1000)} old ·{' '}
                  {reason}
                </span>
              ))}
              {left_running > 0 && (
                <span class="row-line whole">
                  To end them, on {host}: <code>deed triage plan</code>, then <code>deed triage apply</code>
                </span>
              )}
            </li>
          ),
        )}
      </ul>
    </Panel>
  );
}
