import type { MatchSignature } from '../signatures/match-signature.ts';
import type { ProcessFacts, ProcessSnapshot, StandardStream } from '../process-snapshot.ts';
import type { Anchor, OrphanedAncestor, StreamEnds } from './observation.ts';
import { findOrigin, type Origin } from './origin.ts';
import { ownWrites } from './own-writes.ts';
import { hasEnded, type ProcessIndex } from './process-index.ts';
import { findSupervisor } from './supervisor.ts';

export interface LifelineContext {
  readonly index: ProcessIndex<ProcessFacts>;
  readonly snapshot: ProcessSnapshot;
  readonly match: MatchSignature;
}

/** What connects a process to a user or supervisor who may still need it, or that this connection was lost: the *lifeline* of the process. */
export interface Lifeline {
  readonly anchor: Anchor;
  readonly origin: Origin | null;
  readonly streams: StreamEnds;
  readonly cwdDeleted: boolean;
  readonly lost: boolean;
  readonly stem: OrphanedAncestor | null;
}

const LOST: ReadonlySet<Anchor> = new Set(['session', 'daemon', 'orphan', 'ended_run', 'ended_agent']);

/**
 * Finds what still connects a process to a user or supervisor. Parent, session, terminal and streams are one joint observation because
 * they are usually lost together. A process under an orphaned ancestor takes the ancestor's streams and working directory, because its
 * own are inherited and add no information.
 */
export function findLifeline(process: ProcessFacts, context: LifelineContext): Lifeline {
  const top = context.index.topOf(process);
  const source = top === undefined || top.pid === process.pid || top.deep === null ? process : top;
  const own = streamEnds(process, context);
  const streams = source === process || own === 'held' ? own : streamEnds(source, context);
  const origin = findOrigin(process, context.snapshot, context.index);
  const anchor = findAnchor(process, streams, origin, context);
  const lost = LOST.has(anchor);
  return {
    anchor,
    origin,
    streams,
    cwdDeleted: (lost ? source : process).deep?.cwdDeleted ?? false,
    lost,
    stem: lost && top !== undefined && top.pid !== process.pid ? describeAncestor(top, context) : null,
  };
}

function describeAncestor(
  { pid, command, comm }: ProcessFacts,
  { match }: LifelineContext,
): OrphanedAncestor {
  return { pid, kind: match(command, comm)?.kind ?? 'unknown' };
}

function findAnchor(
  process: ProcessFacts,
  streams: StreamEnds,
  origin: Origin | null,
  context: LifelineContext,
): Anchor {
  const { index, snapshot } = context;
  if (origin?.run?.state === 'alive') return 'run';
  if (origin?.agent?.state === 'alive' || hasLivingAgent(process, context)) return 'agent';
  if (process.tty !== 0 && index.leaderAlive(process)) return 'terminal';
  const top = index.topOf(process);
  if (top === undefined) return 'parent';
  if (findSupervisor(process, index, snapshot.observer).detected) return 'service';
  // Environment marks of finished runs and agents count only for orphans, so that a forged mark cannot cause a kill.
  if (origin?.run?.state === 'ended') return 'ended_run';
  if (origin?.agent?.state === 'ended') return 'ended_agent';
  // A process whose terminal was closed did not daemonize itself.
  if (lostTerminal(process) || lostTerminal(top)) return 'orphan';
  if (top.session === top.pid || isClassicDaemon(top, streams)) return 'daemon';
  return index.leaderAlive(top) ? 'session' : 'orphan';
}

function lostTerminal({ deep }: ProcessFacts): boolean {
  return deep?.stdio.some(({ kind, peer }) => kind === 'terminal' && peer === 'gone') ?? false;
}

/** A classic daemon forks twice, so its session leader has exited by design; it also changes to / and closes its streams. */
function isClassicDaemon(top: ProcessFacts, streams: StreamEnds): boolean {
  return top.deep?.cwd === '/' && (streams === 'none' || streams === 'file');
}

function hasLivingAgent(process: ProcessFacts, { index, match }: LifelineContext): boolean {
  let parent = index.get(process.ppid);
  for (let depth = 0; parent !== undefined && parent.pid > 1 && depth < 64; depth += 1) {
    if (!hasEnded(parent) && match(parent.command, parent.comm)?.kind === 'agent') return true;
    parent = index.get(parent.ppid);
  }
  return false;
}

function streamEnds(process: ProcessFacts, context: LifelineContext): StreamEnds {
  const { deep } = process;
  if (deep === null || !deep.descriptorsReadable) return 'unknown';
  const [input, output, error] = deep.stdio.map((stream) => streamEnd(process, stream, context));
  if (input === 'held' || output === 'held' || error === 'held') return 'held';
  // The process writes its output to its own file instead of its streams.
  if (ownWrites(process, context.snapshot).some(({ fd }) => fd > 2)) return 'file';
  // Tool servers often serve on stdout and log stderr to a file: stdout decides.
  if (output === 'severed') return 'severed';
  if (output === 'file' || error === 'file') return 'file';
  if (error === 'severed') return 'severed';
  if (input === 'severed') return 'severed';
  if ([input, output, error].includes('unknown')) return 'unknown';
  return 'none';
}

type StreamEnd = 'held' | 'severed' | 'file' | 'none' | 'family' | 'unknown';

function streamEnd(process: ProcessFacts, stream: StandardStream, { index }: LifelineContext): StreamEnd {
  if (stream.kind === 'file') return 'file';
  if (stream.peer === 'gone') return 'severed';
  if (stream.peer === 'unknown') return 'unknown';
  if (stream.peer !== 'alive') return 'none';
  if (stream.peers.length === 0) return 'held';
  // An orphaned peer does not count: two orphans can be connected by a pipe.
  const inUse = stream.peers.some((pid) => {
    const peer = index.get(pid);
    if (peer === undefined) return true;
    const top = index.topOf(peer);
    return top === undefined ? !inSameTree(process, peer, index) : peer.tty !== 0 && index.leaderAlive(peer);
  });
  return inUse ? 'held' : 'family';
}

function inSameTree(process: ProcessFacts, peer: ProcessFacts, index: ProcessIndex<ProcessFacts>): boolean {
  return index.topOf(process) !== undefined && index.topOf(process) === index.topOf(peer);
}
