import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { identifyProcess, isSameProcessAlive, type ProcessIdentity } from '../../system/process-identity.ts';
import { monotonicMs } from '../../system/monotonic-ms.ts';
import { ownPid } from '../../system/own-pid.ts';
import { listDescendants, signalProcesses } from '../../system/process-tree.ts';
import { sleep } from '../../base/sleep.ts';
import { startDetached } from '../../system/start-detached.ts';
import { renderCommand, tokenOf, type DemoCaller, type ProgramAnswer } from './demo-caller.ts';
import {
  describeMissing,
  plain,
  quote,
  refused,
  shown,
  type DemoLine,
  type StepReport,
} from './demo-step.ts';
import { NOTES_AGENT, SERVER_PROGRAMS } from './demo-agents.ts';
import type { DemoEnvironment } from './create-environment.ts';

const WAIT_MS = 30_000;
const POLL_INTERVAL_MS = 20;
const MAX_PLANS = 5;
const PLAN_INTERVAL_MS = 1000;
/** The maximum number of evidence terms that are shown. */
const MAX_TERMS = 3;

/** Step: a tool server whose agent was killed is found, explained, terminated after a confirm, and verified. */
export async function triageLeftover(
  demo: DemoEnvironment,
  caller: DemoCaller,
  signal: AbortSignal,
): Promise<StepReport> {
  const title = 'Clean up a tool server whose agent was killed';
  if (identifyProcess(ownPid())?.startedAt === '') return skippedStep(title, NO_IDENTITY);
  const missing = demo.missing(SERVER_PROGRAMS);
  if (missing.length > 0) return skippedStep(title, describeMissing(missing));
  const { agent, server } = await orphanServer(demo, caller, signal);
  const planned = await planFor(server.pid, caller, signal);
  const { session_id: session, summary } = planned.data as unknown as {
    session_id: string;
    summary: { total_scanned: number };
  };
  const scanned = summary.total_scanned;
  const found = candidateOf(planned.data, server.pid);
  if (found === undefined) {
    return {
      ...missedStep(title, scanned),
      facts: {
        agent_pid: agent.pid,
        server_pid: server.pid,
        session_id: session,
        found: false,
        ended: false,
      },
    };
  }
  const target = `${found.pid}:${found.start_id}`;
  const why = await caller.call(['deed', 'triage', 'explain', String(server.pid), '--session', session]);
  const apply = ['deed', 'triage', 'apply', '--session', session, '--targets', target, '--max-kills', '5'];
  const preview = await caller.call([...apply, '--dry-run']);
  const alive = isSameProcessAlive(server);
  await caller.call([...apply, '--confirm', tokenOf(preview), '--dangerous']);
  const verified = await caller.call(['deed', 'triage', 'verify', '--session', session]);
  const [outcome] = verified.data['action_outcomes'] as { outcome: string; time_to_death_ms?: number }[];
  const exited = !isSameProcessAlive(server);
  return {
    id: 'leftover',
    title,
    lines: [
      plain(
        `ai-agent (${agent.pid}) and its watcher were killed with SIGKILL; its tool server (${server.pid}) is still running.`,
      ),
      shown(
        `Found among ${scanned} processes: ${found.cmd_short}, abandoned with probability ${found.posterior.abandoned.toFixed(4)}.`,
      ),
      ...explain(why.data, server.pid),
      ...(alive ? [shown('The dry run showed the action and changed nothing.')] : []),
      exited
        ? shown(`Terminated after the confirm, no other process; verified: ${outcome?.outcome}.`)
        : refused(`It is still running: ${outcome?.outcome}.`),
    ],
    facts: {
      agent_pid: agent.pid,
      server_pid: server.pid,
      session_id: session,
      scanned,
      found: true,
      posterior: found.posterior.abandoned,
      outcome: outcome?.outcome,
      ended: exited,
    },
  };
}

/** On a busy machine the server may still be at work on its last call, which is a veto; a later plan finds it idle. */
async function planFor(pid: number, caller: DemoCaller, signal: AbortSignal): Promise<ProgramAnswer> {
  for (let plans = 1; ; plans += 1) {
    const planned = await caller.call(['deed', 'triage', 'plan', '--only', 'kill', '--limit', '1000']);
    if (plans === MAX_PLANS || candidateOf(planned.data, pid) !== undefined) return planned;
    await sleep(PLAN_INTERVAL_MS, signal);
  }
}

function missedStep(title: string, scanned: number): Omit<StepReport, 'facts'> {
  return {
    id: 'leftover',
    title,
    lines: [
      plain('The agent and its watcher were killed; its tool server is still running.'),
      refused(`Triage scanned ${scanned} processes and did not select it.`),
    ],
    weaker: 'On this machine triage is not certain enough; the demo terminated the server itself.',
  };
}

const NO_IDENTITY =
  'This system cannot identify processes (Linux can, through /proc), so this step was skipped.';

function skippedStep(title: string, weaker: string): StepReport {
  return {
    id: 'leftover',
    title,
    lines: [],
    facts: { found: false, ended: false },
    weaker,
  };
}

/**
 * Starts a real agent with a real tool server, waits until the server has served a call, and kills everything of the agent except the
 * server, as the system does when memory runs out. The agent's watcher is killed first: otherwise it would kill the server.
 */
async function orphanServer(
  demo: DemoEnvironment,
  caller: DemoCaller,
  signal: AbortSignal,
): Promise<{ readonly agent: ProcessIdentity; readonly server: ProcessIdentity }> {
  const words = ['ai-agent', join('..', NOTES_AGENT.file), NOTES_AGENT.prompt];
  const log = join(demo.folder, 'ai-agent.log');
  const startedAt = monotonicMs();
  const pid = await startDetached([join(demo.bin, 'ai-agent'), ...words.slice(1)], {
    cwd: demo.repository,
    env: demo.env,
    log,
  });
  const agent = identifyProcess(pid);
  const served = join(demo.folder, NOTES_AGENT.served);
  await until(() => existsSync(served) || agent === undefined || !isSameProcessAlive(agent), signal);
  if (agent === undefined || !existsSync(served)) throw notServed(demo, log);
  const server = identifyProcess(Number(readFileSync(served, 'utf8')));
  if (server === undefined) throw notServed(demo, log);
  const ofServer = new Set([server, ...listDescendants(server.pid)].map((each) => each.pid));
  const killed = [...listDescendants(agent.pid).filter((each) => !ofServer.has(each.pid)), agent];
  signalProcesses(killed, 'SIGKILL');
  caller.calls.push(
    {
      command: `${renderCommand(words)} &`,
      exit_code: null,
      duration_ms: Math.round(monotonicMs() - startedAt),
    },
    { command: `kill -9 ${killed.map((each) => each.pid).join(' ')}`, exit_code: 0, duration_ms: 0 },
  );
  await until(() => !isSameProcessAlive(agent), signal);
  return { agent, server };
}

async function until(condition: () => boolean, signal: AbortSignal): Promise<void> {
  for (let waited = 0; !condition() && waited < WAIT_MS; waited += POLL_INTERVAL_MS) {
    signal.throwIfAborted();
    await sleep(POLL_INTERVAL_MS, signal);
  }
}

function notServed(demo: DemoEnvironment, log: string): Fault {
  return new Fault('E_AGENT_FAILED', 'The agent of the demo did not reach its tool server.', {
    hint: `Its output is in ${log}.`,
    details: { folder: demo.folder },
  });
}

interface Candidate {
  readonly pid: number;
  readonly start_id: string;
  readonly cmd_short: string;
  readonly posterior: { readonly abandoned: number };
}

/** Other processes of the machine may be candidates too; the demo neither shows nor changes them. */
function candidateOf(data: JsonObject, pid: number): Candidate | undefined {
  return (data['candidates'] as unknown as readonly Candidate[]).find((candidate) => candidate.pid === pid);
}

interface Explained {
  readonly action_rationale: string;
  readonly evidence_ledger: readonly { readonly term: string; readonly log_odds: number }[];
}

/** The rationale of triage and the strongest evidence. */
function explain(data: JsonObject, pid: number): readonly DemoLine[] {
  const found = candidateOf(data, pid) as unknown as Explained | undefined;
  if (found === undefined) return [];
  const weights = found.evidence_ledger
    .filter(({ term }) => term !== 'evidence')
    .toSorted((a, b) => Math.abs(b.log_odds) - Math.abs(a.log_odds))
    .slice(0, MAX_TERMS)
    .map(({ term, log_odds }) => `${term} ${log_odds > 0 ? '+' : ''}${log_odds.toFixed(2)}`);
  return [quote(found.action_rationale), quote(`log-odds: ${weights.join(', ')}`)];
}
