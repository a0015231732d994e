import type { ComponentChildren, JSX } from 'preact';
import { formatNumber } from '../base/format.ts';
import { planDangerousWrite, planWrite, type PlannedWrite } from '../base/planned-write.ts';
import { session as signedIn } from '../base/session.ts';
import { evidenceOf, type Candidate } from '../base/triage-plan.ts';
import { CommandLine } from './command-line.tsx';
import { EvidenceBars } from './evidence-bars.tsx';
import { PlannedButton } from './planned-button.tsx';

interface ProcessViewProps {
  readonly candidate: Candidate;
  readonly session: string | null;
  readonly onChanged: () => void;
}

/** One process: what it is, the evidence for and against it, and what can be done. */
export function ProcessView({ candidate, session, onChanged }: ProcessViewProps): JSX.Element {
  const { pid, start_id, cmd_full } = candidate;
  const name = programOf(candidate);
  return (
    <>
      <div class="decision-bar">
        <h2 class="mono">{candidate.cmd_short}</h2>
        <span class="muted">pid {pid}</span>
        <span class="spacer" />
        {signedIn.value?.read_only === false && session !== null && (
          <>
            <PlannedButton
              label={`Protect ${name}`}
              done={`Protected: ${name}`}
              plan={() => planWrite('triage protect add', { name, reason: 'Protected on the web pages' })}
              onDone={onChanged}
            />
            <PlannedButton
              label={ACTIONS.get(candidate.recommended_action) ?? 'End'}
              class="danger"
              done="The actions were executed"
              isDisabled={
                candidate.recommended_action === 'review' || candidate.recommended_action === 'spare'
              }
              plan={() => planDangerousWrite('triage apply', { session, targets: [`${pid}:${start_id}`] })}
              onDone={onChanged}
              show={(planned) => <GateList planned={planned} />}
            />
          </>
        )}
      </div>
      <div class="facts">
        {cmd_full !== candidate.cmd_short && (
          <p>
            <code class="wrap">{cmd_full}</code>
          </p>
        )}
        <p>
          <strong>{candidate.action_rationale}</strong>
        </p>
        <ProcessFacts candidate={candidate} />
        <h3 class="task-heading">Evidence</h3>
        <EvidenceBars evidence={evidenceOf(candidate)} />
        <CommandLine line={`deed triage explain ${pid} --session ${session ?? '…'}`} />
      </div>
    </>
  );
}

function ProcessFacts({ candidate }: Pick<ProcessViewProps, 'candidate'>): JSX.Element {
  const { vetoes = [], origin, blast_radius: impact, reversibility } = candidate;
  const run = origin?.run ?? undefined;
  const agent = origin?.agent ?? undefined;
  return (
    <dl class="fact-list">
      <Fact name="Impact">
        {impact.summary} ({formatNumber(Math.round(impact.memory_mb))} MB, {impact.cpu_pct.toFixed(1)} % CPU,
        risk {impact.risk_level})
      </Fact>
      <Fact name="Undo">{reversibility.note}</Fact>
      {run !== undefined && (
        <Fact name="Started by">
          run {run.id} ({run.state})
        </Fact>
      )}
      {agent !== undefined && (
        <Fact name="Started by">
          agent session {agent.session} ({agent.state})
        </Fact>
      )}
      {vetoes.length > 0 && (
        <Fact name="Not ended, because">
          <ul>
            {vetoes.map(({ veto, reason }) => (
              <li key={veto}>{reason}</li>
            ))}
          </ul>
        </Fact>
      )}
    </dl>
  );
}

const ACTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    kill: 'End process',
    pause: 'Pause process',
    throttle: 'Slow down process',
    restart: 'Restart service',
  }),
);

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The name that a protection is for: the program without its path. */
function programOf({ cmd_short }: Candidate): string {
  const [program = cmd_short] = cmd_short.replaceAll(/[[\]]/gu, '').split(' ');
  return program.split('/').at(-1) ?? program;
}

interface GateOutcome {
  readonly would_run?: boolean;
  readonly gates?: readonly { readonly gate: string; readonly verdict: string; readonly reason?: string }[];
}

/** Whether each action passes the gates, and where it stops. */
function GateList({ planned }: { readonly planned: PlannedWrite }): JSX.Element {
  return (
    <ul class="changes">
      {planned.preview.changes.map(({ action, id, after }) => {
        const { would_run, gates = [] } = (after ?? {}) as GateOutcome;
        return (
          <li key={id}>
            <strong>
              {action} process <code>{id}</code>:{' '}
              {would_run === true ? 'passes all gates' : 'would be stopped'}
            </strong>
            <ul>
              {gates.map(({ gate, verdict, reason }) => (
                <li key={gate}>
                  {gate.replaceAll('_', ' ')}: {verdict}
                  {reason !== undefined && `, ${reason}`}
                </li>
              ))}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}
