import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../base/api.ts';
import type { PlannedWrite } from '../base/planned-write.ts';
import { noteFailure } from '../base/session.ts';
import { announce } from './announcement.tsx';
import { ChangeList } from './change-list.tsx';
import { Failure } from './notice.tsx';

interface PlannedButtonProps {
  readonly label: string;
  /** What is said when it happened. */
  readonly done: string;
  readonly plan: () => Promise<PlannedWrite>;
  readonly onDone: () => void;
  readonly class?: string;
  readonly isDisabled?: boolean;
  /** How the dry run is shown, where a list of changes is not enough. */
  readonly show?: (planned: PlannedWrite) => ComponentChildren;
}

/** A button for a write: it shows the dry run, and only the confirmation changes anything. */
export function PlannedButton(props: PlannedButtonProps): JSX.Element {
  const { label, done, plan, onDone, class: name = '', isDisabled = false, show } = props;
  const [step, setStep] = useState<PlannedWrite | CallError | 'busy'>();
  const confirmation = useRef<HTMLButtonElement>(null);
  useEffect(() => confirmation.current?.focus(), [typeof step]);
  const attempt = async (next: () => Promise<PlannedWrite | undefined>): Promise<void> => {
    setStep('busy');
    try {
      setStep(await next());
    } catch (error) {
      setStep(noteFailure(error));
    }
  };
  const apply = async (planned: PlannedWrite): Promise<undefined> => {
    await planned.confirm();
    announce(done);
    onDone();
  };
  return (
    <>
      <button
        type="button"
        class={name}
        disabled={isDisabled || step === 'busy'}
        aria-busy={step === 'busy'}
        onClick={() => void attempt(plan)}
      >
        {label}
      </button>
      {typeof step === 'object' && (
        <div class="decision wide" role="group" aria-label={label}>
          {step instanceof Error ? (
            <Failure error={step} />
          ) : (
            (show?.(step) ?? <ChangeList changes={step.preview.changes} />)
          )}
          <div class="decision-buttons">
            {!(step instanceof Error) && (
              <button
                ref={confirmation}
                type="button"
                class="primary"
                onClick={() => void attempt(() => apply(step))}
              >
                Confirm: {label.toLowerCase()}
              </button>
            )}
            <button type="button" onClick={() => setStep(undefined)}>
              {step instanceof Error ? 'Close' : 'Cancel'}
            </button>
          </div>
        </div>
      )}
    </>
  );
}
