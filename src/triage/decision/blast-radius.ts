import type { BlastRadius, DependentProcess, SupervisorInfo } from '../assessment.ts';
import { cpuShare } from '../features/activity.ts';
import type { Observation } from '../features/observation.ts';
import { hasEnded, type ProcessIndex } from '../features/process-index.ts';
import { shortCommand } from '../signatures/command-text.ts';
import type { ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';

const MEGABYTE = 1024 * 1024;
const LISTED_DEPENDENTS = 20;
const LARGE_MB = 2048;
const MANY_CHILDREN = 5;

/** Computes what a kill of a process and its descendants would affect. */
export function findBlastRadius(
  process: ProcessFacts,
  observation: Observation,
  supervisor: SupervisorInfo,
  snapshot: ProcessSnapshot,
  index: ProcessIndex<ProcessFacts>,
): BlastRadius {
  const below = index.descendantsOf(process.pid).filter((child) => !hasEnded(child));
  const tree = [process, ...below];
  const sum = (valueOf: (member: ProcessFacts) => number): number =>
    tree.reduce((total, member) => total + valueOf(member), 0);
  const facts = {
    memory_mb: round(sum(({ rssBytes }) => rssBytes) / MEGABYTE),
    cpu_pct: round(sum((member) => cpuShare(member, snapshot) * 100)),
    child_count: below.length,
    connection_count: sum(({ deep }) => deep?.connections ?? 0),
    open_files: sum(({ deep }) => deep?.openFiles ?? 0),
    dependent_processes: findDependents(process, tree, index),
  };
  const outside = facts.dependent_processes.some(({ relationship }) => relationship === 'stdio_peer');
  const risk_level = riskLevel(process, observation, supervisor, facts, outside);
  return { ...facts, risk_level, summary: summarize(observation, facts, outside) };
}

type Facts = Omit<BlastRadius, 'risk_level' | 'summary'>;

/**
 * none: it has already exited. critical: a supervised service. high: it has clients, or another process uses its standard streams, or it is
 * writing. medium: it has connections, open files or locks, more than five children or two gigabytes. low: the rest.
 */
function riskLevel(
  { deep }: ProcessFacts,
  { state, network, writes }: Observation,
  supervisor: SupervisorInfo,
  facts: Facts,
  outside: boolean,
): BlastRadius['risk_level'] {
  if (state === 'zombie') return 'none';
  if (supervisor.detected) return 'critical';
  if (network === 'serving' || writes === 'moving' || outside) return 'high';
  const holds = facts.connection_count > 0 || writes === 'locked' || writes === 'open' || deep === null;
  return holds || facts.child_count > MANY_CHILDREN || facts.memory_mb > LARGE_MB ? 'medium' : 'low';
}

function findDependents(
  process: ProcessFacts,
  tree: readonly ProcessFacts[],
  index: ProcessIndex<ProcessFacts>,
): DependentProcess[] {
  const inside = new Set(tree.map(({ pid }) => pid));
  const describe = (
    other: ProcessFacts,
    relationship: DependentProcess['relationship'],
  ): DependentProcess => ({
    pid: other.pid,
    relationship,
    cmd_short: shortCommand(other),
  });
  // A process can have thousands of children.
  const below = tree
    .slice(1)
    .sort((a, b) => a.pid - b.pid)
    .slice(0, LISTED_DEPENDENTS)
    .map((child) => describe(child, child.ppid === process.pid ? 'child' : 'descendant'));
  const peers = new Set(tree.flatMap(({ deep }) => deep?.stdio.flatMap((stream) => stream.peers) ?? []));
  const outside = [...peers]
    .filter((pid) => !inside.has(pid))
    .sort((a, b) => a - b)
    .flatMap((pid) => index.get(pid) ?? [])
    .map((peer) => describe(peer, 'stdio_peer'));
  return [...outside, ...below].slice(0, LISTED_DEPENDENTS);
}

function summarize({ state }: Observation, facts: Facts, outside: boolean): string {
  if (state === 'zombie')
    return 'Has already exited; its process table entry is freed when its parent reaps it';
  const size = facts.memory_mb >= 1024 ? `${(facts.memory_mb / 1024).toFixed(1)}GB` : `${facts.memory_mb}MB`;
  const children =
    facts.child_count === 0
      ? ''
      : `, terminates ${facts.child_count} ${facts.child_count === 1 ? 'child' : 'children'}`;
  const impacts = [
    ...(facts.connection_count > 0 ? [`closes ${facts.connection_count} connections`] : []),
    ...(outside ? ['its standard streams are in use'] : []),
  ];
  return `Killing frees ${size} RAM${children}; ${impacts.length === 0 ? 'no external impact' : impacts.join(', ')}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
