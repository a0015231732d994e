import type { JSX } from 'preact';
import type { ReadState } from '../base/use-read.ts';
import type { Reads } from '../base/commands.ts';
import { planWrite } from '../base/planned-write.ts';
import { session as signedIn } from '../base/session.ts';
import { Failure } from './notice.tsx';
import { Panel } from './panel.tsx';
import { PlannedButton } from './planned-button.tsx';

interface ProtectedProgramsProps {
  readonly list: ReadState<Reads['triage protect list']['output']>;
  readonly onChanged: () => void;
}

/** The programs that a person protected: a plan does not mention their processes. */
export function ProtectedPrograms({ list, onChanged }: ProtectedProgramsProps): JSX.Element | null {
  const { data, error } = list;
  if (error !== undefined) return <Failure error={error} />;
  if (data === undefined || data.protected.length === 0) return null;
  return (
    <Panel title="Protected programs" count={data.protected.length} command="deed triage protect list">
      <ul class="rows">
        {data.protected.map(({ name, reason }) => (
          <li key={name} class="decision-bar">
            <span class="mono">{name}</span>
            {reason !== null && <span class="muted">{reason}</span>}
            <span class="spacer" />
            {signedIn.value?.read_only === false && (
              <PlannedButton
                label={`Stop protecting ${name}`}
                done={`No longer protected: ${name}`}
                plan={() => planWrite('triage protect remove', { name })}
                onDone={onChanged}
              />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
