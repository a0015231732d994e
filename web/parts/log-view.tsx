import type { JSX, TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { items, type CallError } from '../base/api.ts';
import type { Streams } from '../base/commands.ts';
import { formatTime } from '../base/format.ts';
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
    const controller = new AbortController();
    setLines([]);
    setState('reading');
    const follow = async (): Promise<void> => {
      let arrived: Line[] = [];
      const paint = (): void => {
        const next = arrived;
        arrived = [];
        if (next.length > 0) setLines((known) => [...known, ...next].slice(-MAX_LINES));
      };
      const timer = setInterval(paint, PAINT_MS);
      try {
        const parameters = { id: runId, follow: true, tail: MAX_LINES };
        for await (const line of items('work log', parameters, controller.signal)) arrived.push(line);
        setState('ended');
      } catch (error) {
        if (!controller.signal.aborted) setState(noteFailure(error));
      } finally {
        clearInterval(timer);
        if (!controller.signal.aborted) paint();
      }
    };
    void follow();
    return () => controller.abort();
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
          {line.text}
        </div>
      ))}
      {state === 'reading' && <div class="log-line deed">…</div>}
    </div>
  );
}
