import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatCost, formatDuration, formatNumber, plural } from '../base/format.ts';
import {
  depthOf,
  explainStep,
  groupByTurn,
  type SessionStep,
  type SessionTurn,
} from '../base/session-steps.ts';
import { Glyph } from './glyph.tsx';
import { Elapsed } from './time.tsx';

/** With more turns only the turns are shown at first. */
const OPEN_TURNS = 20;
/** Above this, the next outputs may not fit. */
const NEARLY_FULL = 80;

/** The turns of a session with their requests, tool calls and sub-agents. */
export function StepTree({ steps }: { readonly steps: readonly SessionStep[] }): JSX.Element {
  const turns = groupByTurn(steps);
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
  const isOpen = (turn: number): boolean => toggled.has(turn) !== turns.length <= OPEN_TURNS;
  const toggle = (turn: number): void => {
    const next = new Set(toggled);
    if (!next.delete(turn)) next.add(turn);
    setToggled(next);
  };
  const longestMs = Math.max(1, ...steps.map(({ latency_ms }) => latency_ms ?? 0));
  return (
    <div class="steps-box" tabIndex={0} role="region" aria-label="Steps of the session">
      <ContextLine turns={turns} />
      <table class="steps" role="treegrid" aria-label="Turns, requests and tool calls">
        <thead>
          <tr>
            <th>step</th>
            <th class="figure">context</th>
            <th class="figure">tokens in</th>
            <th class="figure">out</th>
            <th class="figure">cost</th>
            <th class="figure">time</th>
            <th>
              <span class="hidden">time as a bar</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {turns.map((turn) => (
            <>
              <TurnRow
                key={`turn ${turn.turn}`}
                turn={turn}
                isOpen={isOpen(turn.turn)}
                onToggle={() => toggle(turn.turn)}
              />
              {isOpen(turn.turn) &&
                turn.steps.map((step, index) => (
                  <StepRow key={`${turn.turn} ${index}`} step={step} longestMs={longestMs} />
                ))}
            </>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TurnRowProps {
  readonly turn: SessionTurn;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function TurnRow({ turn, isOpen, onToggle }: TurnRowProps): JSX.Element {
  return (
    <tr class="turn" aria-level={1} aria-expanded={isOpen}>
      <td>
        <button type="button" class="turn-name" aria-expanded={isOpen} onClick={onToggle}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> Turn {turn.turn}
          {turn.problems > 0 && <span class="badge failed">{plural(turn.problems, 'problem')}</span>}
        </button>
      </td>
      <td class="figure">
        <ContextFill turn={turn} />
      </td>
      <td class="figure">{formatNumber(turn.inputTokens)}</td>
      <td class="figure">{formatNumber(turn.outputTokens)}</td>
      <td class="figure">{formatCost(turn.costUsd)}</td>
      <td class="figure">{formatDuration(turn.latencyMs)}</td>
      <td />
    </tr>
  );
}

const STATES = {
  ok: 'done',
  failed: 'failed',
  rejected: 'waits',
  running: 'running',
  unknown: 'queued',
} as const;
const WORDS = {
  ok: 'done',
  failed: 'failed',
  rejected: 'retried',
  running: 'running',
  unknown: 'outcome unknown',
} as const;

function StepRow({
  step,
  longestMs,
}: {
  readonly step: SessionStep;
  readonly longestMs: number;
}): JSX.Element {
  const explanation = explainStep(step);
  const depth = depthOf(step);
  const agent = depth > 1 ? step.agents?.split('->').at(-1) : undefined;
  return (
    <>
      <tr aria-level={depth + 1}>
        <td>
          <span class="step-name" style={{ paddingLeft: `${depth * 16}px` }}>
            <Glyph state={STATES[step.status]} />
            <span class="hidden">{WORDS[step.status]}</span>
            {agent !== undefined && <span class="muted">{agent}:</span>}
            <code>{step.name}</code>
            {step.kind !== 'tool' && <span class="muted">{step.kind}</span>}
          </span>
        </td>
        <td />
        <td class="figure">
          {step.tokens !== null && formatNumber(step.tokens.input)}
          {step.tokens !== null && step.tokens.cached > 0 && (
            <span class="muted"> {formatNumber(step.tokens.cached)} cached</span>
          )}
        </td>
        <td class="figure">{step.tokens !== null && formatNumber(step.tokens.output)}</td>
        <td class="figure">{step.cost_usd !== null && formatCost(step.cost_usd)}</td>
        <td class="figure">
          {step.status === 'running' && <Elapsed from={step.at} />}
          {step.latency_ms !== null && formatDuration(step.latency_ms)}
        </td>
        <td>
          <span
            class={step.kind === 'tool' ? 'latency tool' : 'latency'}
            style={{ width: `${(100 * (step.latency_ms ?? 0)) / longestMs}%` }}
          />
        </td>
      </tr>
      {explanation !== undefined && (
        <tr aria-level={depth + 1} class="why">
          <td colSpan={7}>
            <span style={{ paddingLeft: `${depth * 16 + 24}px` }}>{explanation}</span>
          </td>
        </tr>
      )}
    </>
  );
}

/** How full the context was after a turn: as a percentage of what the model accepts, or in tokens if that is unknown. */
function ContextFill({ turn }: { readonly turn: SessionTurn }): JSX.Element | null {
  const { contextTokens: tokens, contextPercent: percent } = turn;
  if (tokens === null) return null;
  if (percent === null) return <>{formatNumber(tokens)}</>;
  return (
    <span
      class={percent >= NEARLY_FULL ? 'context-fill high' : 'context-fill'}
      title={`${formatNumber(tokens)} tokens`}
    >
      <span class="context-bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, percent)}%` }} />
      </span>
      {percent} %
    </span>
  );
}

/** What the whole session did to the context. */
function ContextLine({ turns }: { readonly turns: readonly SessionTurn[] }): JSX.Element | null {
  const known = turns.filter(({ contextTokens }) => contextTokens !== null);
  const last = known.at(-1);
  if (last === undefined) return null;
  const largest = Math.max(...known.map(({ contextTokens }) => contextTokens ?? 0));
  const tokens = formatNumber(last.contextTokens ?? 0);
  const most = largest > (last.contextTokens ?? 0) ? `; at most ${formatNumber(largest)} before` : '';
  return (
    <p class="context-line muted">
      Context after the last turn: {tokens} tokens
      {last.contextLimit === null
        ? ' (how many the model accepts is not known)'
        : ` of ${formatNumber(last.contextLimit)} that the model accepts, ${last.contextPercent} % full`}
      {most}.
    </p>
  );
}
