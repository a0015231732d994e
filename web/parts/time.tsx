import type { JSX } from 'preact';
import { now } from '../base/clock.ts';
import { formatAge, formatDuration, formatTime } from '../base/format.ts';

/** How long ago something happened; the tooltip has the time. */
export function Age({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAge(at, now.value)}
    </time>
  );
}

/** Like `Age`, for times of other hosts: the age was measured by the server, because the clock of this browser may differ. */
export function MeasuredAge({ at, seconds }: { readonly at: string; readonly seconds: number }): JSX.Element {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAge(at, Date.parse(at) + seconds * 1000)}
    </time>
  );
}

/** The time since the start, or from the start to the end. */
export function Elapsed({
  from,
  to,
}: {
  readonly from: string;
  readonly to?: string | null | undefined;
}): JSX.Element {
  const end = to === null || to === undefined ? now.value : Date.parse(to);
  return <span class="number">{formatDuration(Math.max(0, end - Date.parse(from)))}</span>;
}

/** The time that is left until a moment, such as the expiry of a token. */
export function Countdown({ to }: { readonly to: string }): JSX.Element {
  const leftMs = Date.parse(to) - now.value;
  return (
    <span class="number" title={formatTime(to)}>
      {leftMs <= 0 ? 'expired' : formatDuration(Math.ceil(leftMs / 1000) * 1000)}
    </span>
  );
}
