import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../base/api.ts';
import type { PlannedWrite } from '../base/planned-write.ts';
import { noteFailure } from '../base/session.ts';
import { useKeys } from '../base/use-keys.ts';
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
  /** A key that does the same as a click. */
  readonly shortcut?: string;
  /** How the dry run is shown, where a list of changes is not enough. */
  readonly show?: (planned: PlannedWrite) => ComponentChildren;
}

/** A button for a write: it shows the dry run, and only the confirmation changes anything. */
export function PlannedButton(props: PlannedButtonProps): JSX.Element {
  const { label, done, plan, onDone, class: name = '', isDisabled = false, shortcut, show } = props;
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
  const isOff = isDisabled || step === 'busy';
  useKeys({
    ...(shortcut !== undefined && !isOff && { [shortcut]: () => void attempt(plan) }),
    ...(typeof step === 'object' && { Escape: () => setStep(undefined) }),
  });
  return (
    <>
      <button
        type="button"
        class={name}
        disabled={isOff}
        aria-busy={step === 'busy'}
        aria-keyshortcuts={shortcut}
        onClick={() => void attempt(plan)}
      >
        {label} {shortcut !== undefined && <kbd aria-hidden="true">{shortcut}</kbd>}
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
                Confirm: {label.toLowerCase()} <kbd aria-hidden="true">Enter</kbd>
              </button>
            )}
            <button type="button" onClick={() => setStep(undefined)}>
              {step instanceof Error ? 'Close' : 'Cancel'} <kbd aria-hidden="true">Esc</kbd>
            </button>
          </div>
        </div>
      )}
    </>
  );
}
