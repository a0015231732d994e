import type { JSX, TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { items, type CallError } from '../base/api.ts';
import type { Streams } from '../base/commands.ts';
import { follow } from '../base/follow.ts';
import { formatTime } from '../base/format.ts';
import { plainOutput } from '../base/plain-output.ts';
import { noteFailure } from '../base/session.ts';
import { Empty, Failure } from './notice.tsx';

type Line = Streams['work log']['output'];

/** Older lines are in the terminal: `deed work log`. */
const MAX_LINES = 2000;
/** Lines arrive one by one; the page is updated at most this often. */
const PAINT_MS = 100;
const NEAR_END_PX = 40;

/** The output of an agent, live while it runs. The end stays in view unless the reader scrolled up. */
export function LogView({ runId }: { readonly runId: string }): JSX.Element {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [state, setState] = useState<'reading' | 'ended' | CallError>('reading');
  useEffect(() => {
    setLines([]);
    const read = async (signal: AbortSignal): Promise<void> => {
      setState('reading');
      let arrived: Line[] = [];
      // What was shown before an interruption is part of what is read now.
      let isFirst = true;
      const paint = (): void => {
        const [next, before] = [arrived, isFirst];
        if (next.length === 0) return;
        [arrived, isFirst] = [[], false];
        setLines((known) => [...(before ? [] : known), ...next].slice(-MAX_LINES));
      };
      const timer = setInterval(paint, PAINT_MS);
      try {
        const parameters = { id: runId, follow: true, tail: MAX_LINES };
        for await (const line of items('work log', parameters, signal)) arrived.push(line);
        setState('ended');
      } catch (error) {
        if (!signal.aborted) setState(noteFailure(error));
        throw error;
      } finally {
        clearInterval(timer);
        if (!signal.aborted) paint();
      }
    };
    return follow(read);
  }, [runId]);
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines]);
  const onScroll = ({ currentTarget: element }: TargetedEvent<HTMLDivElement>): void => {
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
  };
  if (typeof state === 'object' && lines.length === 0) return <Failure error={state} />;
  if (state === 'ended' && lines.length === 0) return <Empty>The agent printed nothing.</Empty>;
  return (
    <div
      class="log"
      ref={box}
      tabIndex={0}
      role="log"
      aria-label="Output of the agent"
      aria-live="off"
      onScroll={onScroll}
    >
      {lines.map((line, index) => (
        <div key={index} class={`log-line ${line.stream}`} title={formatTime(line.at)}>
          {plainOutput(line.text)}
        </div>
      ))}
      {state === 'reading' && <div class="log-line deed">…</div>}
    </div>
  );
}
