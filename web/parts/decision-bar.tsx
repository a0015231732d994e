import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError } from '../base/api.ts';
import {
  DECISIONS,
  decisionsFor,
  findEarlier,
  planDecision,
  type Decision,
  type EarlierDecision,
} from '../base/decision.ts';
import type { PlannedWrite } from '../base/planned-write.ts';
import { noteFailure, session, whyNoDecision } from '../base/session.ts';
import { useKeys } from '../base/use-keys.ts';
import { ChangeList } from './change-list.tsx';
import { Failure } from './notice.tsx';
import { Age } from './time.tsx';

interface DecisionBarProps {
  readonly runId: string;
  readonly itemId: string;
  readonly status: string;
  /** Called after a decision of this or another person. */
  readonly onDecided: (message: string) => void;
  /** What stands on the left. */
  readonly children?: ComponentChildren;
}

type Step =
  | { readonly kind: 'text'; readonly decision: Decision }
  | { readonly kind: 'busy'; readonly decision: Decision }
  | { readonly kind: 'preview'; readonly decision: Decision; readonly planned: PlannedWrite }
  | { readonly kind: 'failed'; readonly error: CallError }
  | { readonly kind: 'earlier'; readonly earlier: EarlierDecision };

/** The decisions about a run: each shows its dry run first, and the confirmation carries its token. */
export function DecisionBar({ runId, itemId, status, onDecided, children }: DecisionBarProps): JSX.Element {
  const [step, setStep] = useState<Step>();
  const offered = offeredFor(status);
  const fail = async (reason: unknown): Promise<void> => {
    const fault = noteFailure(reason);
    const earlier = await findEarlier(runId, fault);
    setStep(earlier === undefined ? { kind: 'failed', error: fault } : { kind: 'earlier', earlier });
  };
  const isOpen = step?.kind === 'text' || step?.kind === 'preview' || step?.kind === 'failed';
  useEffect(() => {
    // Another person decided while this one was about to, or while the decision of this one failed for that reason.
    if (isOpen) void fail(new CallError('E_CONFLICT', `${itemId} has changed.`));
  }, [runId, status]);
  const prepare = async (decision: Decision, text: string): Promise<void> => {
    setStep({ kind: 'busy', decision });
    try {
      setStep({ kind: 'preview', decision, planned: await planDecision(decision, runId, text) });
    } catch (error) {
      await fail(error);
    }
  };
  const begin = (decision: Decision): void => {
    if (DECISIONS[decision].text === undefined) void prepare(decision, '');
    else setStep({ kind: 'text', decision });
  };
  const apply = async (decision: Decision, planned: PlannedWrite): Promise<void> => {
    setStep({ kind: 'busy', decision });
    try {
      await planned.confirm();
      setStep(undefined);
      onDecided(`${DECISIONS[decision].done}: ${itemId}`);
    } catch (error) {
      await fail(error);
    }
  };
  useKeys({
    ...Object.fromEntries(offered.map((decision) => [DECISIONS[decision].key, () => begin(decision)])),
    ...(step !== undefined && { Escape: () => setStep(undefined) }),
  });
  return (
    <>
      <div class="decision-bar">
        {children}
        <span class="spacer" />
        <Choices status={status} isBusy={step?.kind === 'busy'} begin={begin} />
      </div>
      {step !== undefined && (
        <div class="decision" role="group" aria-label="Decision">
          <StepView step={step} prepare={prepare} apply={apply} cancel={() => setStep(undefined)} />
        </div>
      )}
    </>
  );
}

/** The decisions that this person can make. */
function offeredFor(status: string): readonly Decision[] {
  const info = session.value;
  const isAllowed = info?.read_only === false && (status !== 'waiting' || info.can_decide);
  return isAllowed ? decisionsFor(status) : [];
}

interface ChoicesProps {
  readonly status: string;
  readonly isBusy: boolean;
  readonly begin: (decision: Decision) => void;
}

function Choices({ status, isBusy, begin }: ChoicesProps): JSX.Element {
  const offered = offeredFor(status);
  return (
    <span class="decision-choices">
      {offered.length === 0 && status === 'waiting' && <span class="muted">{whyNoDecision()}</span>}
      {offered.map((decision) => (
        <button
          key={decision}
          type="button"
          class={decision === 'approve' ? 'primary' : ''}
          aria-keyshortcuts={DECISIONS[decision].key}
          disabled={isBusy}
          onClick={() => begin(decision)}
        >
          {DECISIONS[decision].label} <kbd aria-hidden="true">{DECISIONS[decision].key}</kbd>
        </button>
      ))}
    </span>
  );
}

interface StepViewProps {
  readonly step: Step;
  readonly prepare: (decision: Decision, text: string) => Promise<void>;
  readonly apply: (decision: Decision, planned: PlannedWrite) => Promise<void>;
  readonly cancel: () => void;
}

function StepView({ step, prepare, apply, cancel }: StepViewProps): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), [step.kind]);
  switch (step.kind) {
    case 'busy':
      return <p aria-busy="true">{DECISIONS[step.decision].label}…</p>;
    case 'failed':
      return <Failure error={step.error} />;
    case 'earlier':
      return (
        <p role="alert">
          <strong>
            Decided by {step.earlier.by} <Age at={step.earlier.at} />: {step.earlier.decision}.
          </strong>{' '}
          Your decision changed nothing.
        </p>
      );
    case 'text':
      return <TextForm decision={step.decision} prepare={prepare} cancel={cancel} />;
    case 'preview':
      return (
        <>
          <ChangeList changes={step.planned.preview.changes} />
          <div class="decision-buttons">
            <button
              ref={button}
              type="button"
              class="primary"
              onClick={() => void apply(step.decision, step.planned)}
            >
              Confirm: {DECISIONS[step.decision].label.toLowerCase()} <kbd aria-hidden="true">Enter</kbd>
            </button>
            <button type="button" onClick={cancel}>
              Cancel <kbd aria-hidden="true">Esc</kbd>
            </button>
          </div>
        </>
      );
  }
}

interface TextFormProps extends Pick<StepViewProps, 'prepare' | 'cancel'> {
  readonly decision: Decision;
}

function TextForm({ decision, prepare, cancel }: TextFormProps): JSX.Element {
  const { text, label } = DECISIONS[decision];
  const [value, setValue] = useState('');
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const isReady = value.trim() !== '' || text?.isRequired !== true;
  const submit = (): void => {
    if (isReady) void prepare(decision, value.trim());
  };
  return (
    <>
      <label>
        {text?.label}
        <textarea
          ref={area}
          rows={3}
          value={value}
          onInput={({ currentTarget }) => setValue(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
          }}
        />
      </label>
      <div class="decision-buttons">
        <button type="button" class="primary" disabled={!isReady} onClick={submit}>
          Show what {label.toLowerCase()} changes <kbd aria-hidden="true">Ctrl Enter</kbd>
        </button>
        <button type="button" onClick={cancel}>
          Cancel <kbd aria-hidden="true">Esc</kbd>
        </button>
      </div>
    </>
  );
}
