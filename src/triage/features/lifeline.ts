import type { MatchSignature } from '../signatures/match-signature.ts';
import type { ProcessFacts, Snapshot, StandardStream } from '../process-snapshot.ts';
import type { Anchor, Stem, StreamEnds } from './observation.ts';
import { findOrigin, type Origin } from './origin.ts';
import { ownWrites } from './own-writes.ts';
import { hasEnded, type ProcessIndex } from './process-index.ts';
import { findSupervisor } from './supervisor.ts';

export interface LifelineContext {
  readonly index: ProcessIndex<ProcessFacts>;
  readonly snapshot: Snapshot;
  readonly match: MatchSignature;
}

export interface Lifeline {
  readonly anchor: Anchor;
  readonly origin: Origin | null;
  readonly streams: StreamEnds;
  readonly cwdDeleted: boolean;
  readonly lost: boolean;
  readonly stem: Stem | null;
}

const LOST: ReadonlySet<Anchor> = new Set(['session', 'daemon', 'orphan', 'ended_run', 'ended_agent']);

/**
 * Finds what still holds a process: one joint finding, since parent, session, terminal and streams are usually lost together. Who hangs on one
 * that was cut off is held as well or as badly as that one is: its own streams and folder say nothing that its parent's do not.
 */
export function findLifeline(process: ProcessFacts, context: LifelineContext): Lifeline {
  const top = context.index.topOf(process);
  const cut = top === undefined || top.pid === process.pid || top.deep === null ? process : top;
  const own = streamEnds(process, context);
  const streams = cut === process || own === 'held' ? own : streamEnds(cut, context);
  const origin = findOrigin(process, context.snapshot, context.index);
  const anchor = findAnchor(process, streams, origin, context);
  const lost = LOST.has(anchor);
  return {
    anchor,
    origin,
    streams,
    cwdDeleted: (lost ? cut : process).deep?.cwdDeleted ?? false,
    lost,
    stem: lost && top !== undefined && top.pid !== process.pid ? describeStem(top, context) : null,
  };
}

function describeStem({ pid, command, comm }: ProcessFacts, { match }: LifelineContext): Stem {
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
  // Marks of the dead count only for what nothing else holds: whoever writes one gains nobody's end by it.
  if (origin?.run?.state === 'ended') return 'ended_run';
  if (origin?.agent?.state === 'ended') return 'ended_agent';
  // Who had a terminal and lost it did not go into the background of its own accord.
  if (lostTerminal(process) || lostTerminal(top)) return 'orphan';
  if (top.session === top.pid || isClassicDaemon(top, streams)) return 'daemon';
  return index.leaderAlive(top) ? 'session' : 'orphan';
}

function lostTerminal({ deep }: ProcessFacts): boolean {
  return deep?.stdio.some(({ kind, peer }) => kind === 'terminal' && peer === 'gone') ?? false;
}

/** The old way into the background forks twice, so that the leader of the session is gone by design; it also leaves every folder and stream behind. */
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
  // What it has to say may go to a file of its own instead, whether its streams lead anywhere or not.
  if (ownWrites(process, context.snapshot).some(({ fd }) => fd > 2)) return 'file';
  // Many a tool server speaks through its output and complains into a log: the output decides.
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
  // Who was cut off as well holds nobody: a pipeline of two orphans keeps itself company.
  const holds = stream.peers.some((pid) => {
    const peer = index.get(pid);
    if (peer === undefined) return true;
    const top = index.topOf(peer);
    return top === undefined ? !sharesFate(process, peer, index) : peer.tty !== 0 && index.leaderAlive(peer);
  });
  return holds ? 'held' : 'family';
}

function sharesFate(process: ProcessFacts, peer: ProcessFacts, index: ProcessIndex<ProcessFacts>): boolean {
  return index.topOf(process) !== undefined && index.topOf(process) === index.topOf(peer);
}
