import type { Lookup } from '../../base/lookup.ts';
import { printable } from '../../base/text.ts';
import type { Exemption } from '../assessment.ts';
import type { Observation } from '../features/observation.ts';
import { ageMs } from '../features/observe.ts';
import { hasEnded, type ProcessIndex } from '../features/process-index.ts';
import { findGrounds, type Grounds, type LossRecord } from '../grounds/find-grounds.ts';
import type { FindKind } from '../kinds/find-kind.ts';
import { refineKind } from '../kinds/refine-kind.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import type { ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';
import type { FindFeedback } from '../steering/find-feedback.ts';
import { findOwnVetoes, type PossibleFacts } from '../vetoes/find-vetoes.ts';
import { hasMarkOfDeed, type EarlierReading, type Veto } from '../vetoes/veto.ts';

/** Whether a process may be acted on automatically: there are grounds, and no vetoes. */
export interface Automation {
  readonly grounds: Grounds;
  readonly vetoes: readonly Veto[];
}

/** What earlier snapshots recorded about a process. */
export interface History extends Partial<LossRecord> {
  readonly reading?: EarlierReading;
}

export interface AutomationContext {
  readonly snapshot: ProcessSnapshot;
  readonly index: ProcessIndex<ProcessFacts>;
  readonly parameters: Parameters;
  readonly findKind: FindKind;
  readonly feedbackOn: FindFeedback;
  /** By `pid:startTicks`. */
  readonly history: Lookup<History>;
  readonly observe: (process: ProcessFacts) => Observation;
  readonly exemptionOf: (process: ProcessFacts) => Exemption | null;
}

export type FindAutomation = (process: ProcessFacts) => Automation;

/** Creates a function that decides whether a process may be acted on automatically; results are cached. */
export function createFindAutomation(context: AutomationContext): FindAutomation {
  const known = new Map<number, Automation>();
  const find: FindAutomation = (process) => {
    let found = known.get(process.pid);
    if (found === undefined) known.set(process.pid, (found = findAutomation(process, context, find)));
    return found;
  };
  return find;
}

export function isAllowed({ grounds, vetoes }: Automation): boolean {
  return grounds.found && vetoes.length === 0;
}

/** Returns why there is no automatic action; undefined when there may be one. */
export function refusalOfAutomation({ grounds, vetoes }: Automation): string | undefined {
  const [veto] = vetoes;
  return grounds.found ? veto?.reason : grounds.reason;
}

function findAutomation(process: ProcessFacts, context: AutomationContext, find: FindAutomation): Automation {
  const facts = factsOf(process, context);
  const { takenAtMs } = context.snapshot;
  const top = facts.observation.stem === null ? undefined : context.index.get(facts.observation.stem.pid);
  const vetoes = [
    ...findOwnVetoes(facts, top !== undefined),
    ...findPipelineVetoes(facts, context),
    ...findTreeVetoes(facts, context),
  ];
  if (top === undefined) {
    return { grounds: findGrounds({ ...facts, takenAtMs, loss: lossOf(process, context) }), vetoes };
  }
  // A descendant is killed with the orphan it runs under, or not at all.
  const above = find(top);
  const grounds = hasMarkOfDeed(facts)
    ? findGrounds({ ...facts, takenAtMs, loss: undefined })
    : inheritGrounds(above.grounds, top);
  const refusal = refusalOfAutomation(above);
  if (refusal === undefined) return { grounds, vetoes };
  const reason = `it runs under ${top.pid} (${printable(top.comm)}), which must not be killed: ${refusal}`;
  return { grounds, vetoes: [{ veto: 'living_parent', reason }, ...vetoes] };
}

function inheritGrounds(grounds: Grounds, { pid, comm }: ProcessFacts): Grounds {
  return grounds.found
    ? grounds
    : { found: false, reason: `it runs under ${pid} (${printable(comm)}): ${grounds.reason}` };
}

/** An action affects the whole tree, so a veto of one descendant applies to it. */
function findTreeVetoes(root: PossibleFacts, context: AutomationContext): readonly Veto[] {
  for (const child of context.index.descendantsOf(root.process.pid)) {
    if (hasEnded(child)) continue;
    const reason = findDescendantVeto(child, root, context);
    if (reason !== undefined)
      return [
        { veto: 'descendant', reason: `its descendant ${child.pid} (${printable(child.comm)}): ${reason}` },
      ];
  }
  return [];
}

function findDescendantVeto(
  child: ProcessFacts,
  root: PossibleFacts,
  context: AutomationContext,
): string | undefined {
  const exemption = context.exemptionOf(child);
  if (exemption !== null && exemption !== 'young') return `it is exempt (${exemption})`;
  const facts = factsOf(child, context);
  const [veto] = [...findOwnVetoes(facts, true), ...findPipelineVetoes(facts, context)];
  if (veto !== undefined) return veto.reason;
  if (hasMarkOfDeed(root)) return undefined;
  if (facts.kind === undefined && !isWatchedProgram(root, child)) return 'it is of an unknown kind';
  return child.session === child.pid ? 'it has its own session' : undefined;
}

/**
 * A pipeline outlives the shell that started it: `inotifywait -m | xargs`. Its parts are orphans, but each serves the others. Programs that serve only
 * their owner do not count as the other end.
 */
function findPipelineVetoes(facts: PossibleFacts, context: AutomationContext): readonly Veto[] {
  const { index, findKind } = context;
  const { deep } = facts.process;
  if (deep === null || facts.observation.streams === 'held' || hasMarkOfDeed(facts)) return [];
  const top = index.topOf(facts.process);
  const other = deep.stdio
    .flatMap(({ peer, peers }) => (peer === 'alive' ? peers : []))
    .map((pid) => index.get(pid))
    .find(
      (peer) =>
        peer !== undefined &&
        !hasEnded(peer) &&
        index.topOf(peer) !== top &&
        refineKind(peer, findKind, index)?.role !== 'owner_bound',
    );
  if (other === undefined) return [];
  const reason = `process ${other.pid} (${printable(other.comm)}) has the other end of its standard streams open`;
  return [{ veto: 'streams', reason }];
}

/**
 * Whether a process is the program that a watcher runs: the command line of the watcher names its script. Such a program is restarted at
 * every change of a file, so it is not meant to outlive the watcher. A program that listens on a port or has files open for writing does
 * not count, because others may need it.
 */
function isWatchedProgram(
  { kind, process: watcher }: PossibleFacts,
  { deep, command }: ProcessFacts,
): boolean {
  if (kind?.name !== 'watcher' || deep === null || deep.use === undefined) return false;
  const script = command?.slice(1).findLast((arg) => !arg.startsWith('-'));
  if (script === undefined || watcher.command?.slice(1).includes(script) !== true) return false;
  return deep.use.listeners.length === 0 && deep.writes.every(({ fd }) => fd <= 2);
}

function factsOf(process: ProcessFacts, context: AutomationContext): PossibleFacts {
  const { snapshot, index, parameters, findKind } = context;
  return {
    process,
    observation: context.observe(process),
    kind: refineKind(process, findKind, index),
    ageMs: ageMs(process, snapshot),
    earlier: historyOf(process, context)?.reading,
    feedback: context.feedbackOn(process),
    snapshot,
    index,
    parameters,
  };
}

function lossOf(process: ProcessFacts, context: AutomationContext): LossRecord | undefined {
  const known = historyOf(process, context);
  return known?.firstLostMs === undefined
    ? undefined
    : { firstLostMs: known.firstLostMs, lastOwnedMs: known.lastOwnedMs ?? null };
}

function historyOf({ pid, startTicks }: ProcessFacts, { history }: AutomationContext): History | undefined {
  return history.get(`${pid}:${startTicks}`);
}
