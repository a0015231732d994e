import type { JSX } from 'preact';
import { planWrite } from '../base/planned-write.ts';
import { session, whyNoDecision } from '../base/session.ts';
import type { SessionDetail } from '../base/session-steps.ts';
import { PlannedButton } from './planned-button.tsx';

interface ToolApprovalsProps {
  readonly sessionId: string;
  readonly approvals: SessionDetail['approvals'];
  readonly onDecided: () => void;
}

/** The tool calls that a session waits for, with the decision about them. The session continues after it. */
export function ToolApprovals({ sessionId, approvals, onDecided }: ToolApprovalsProps): JSX.Element {
  const calls = approvals.map(({ call }) => call);
  return (
    <div class="approvals">
      <p>
        <strong>The agent asks for permission:</strong>
      </p>
      <ul>
        {approvals.map(({ call, tool, arguments: text }) => (
          <li key={call}>
            <code>
              {tool} {text}
            </code>
          </li>
        ))}
      </ul>
      {session.value?.can_decide === true ? (
        <div class="decision-buttons">
          <PlannedButton
            label={calls.length === 1 ? 'Allow the call' : 'Allow the calls'}
            done="The agent has finished"
            class="primary"
            shortcut="a"
            plan={() => planWrite('agent run', { resume: sessionId, approve: calls })}
            onDone={onDecided}
          />
          <PlannedButton
            label="Deny"
            shortcut="r"
            done="The agent has finished"
            plan={() => planWrite('agent run', { resume: sessionId, deny: calls })}
            onDone={onDecided}
          />
        </div>
      ) : (
        <p class="muted">{whyNoDecision()}</p>
      )}
    </div>
  );
}
