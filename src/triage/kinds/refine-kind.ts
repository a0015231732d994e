import { hasEnded, type ProcessIndex } from '../features/process-index.ts';
import { TEST_WORKER_VARIABLES } from '../proc/environ.ts';
import type { ProcessFacts } from '../process-snapshot.ts';
import type { FindKind, Kind } from './find-kind.ts';
import { isOnlyNamed } from './is-only-named.ts';

const STARTED_BY_TEST: Kind = {
  name: 'test_worker',
  role: 'owner_bound',
  words: 'a process that a test runner started',
};
const WATCHER: Kind = {
  name: 'watcher',
  role: 'owner_bound',
  words: 'a build that waits for changes of files',
};
const SERVING_WATCHER: Kind = {
  name: 'dev_server',
  role: 'never',
  words: 'a watcher with a port',
};
const SHARED_SERVER: Kind = {
  name: 'shared_server',
  role: 'never',
  words: 'a server with a port',
};
const ONLY_NAMED: Kind = {
  name: 'script',
  role: 'never',
  words: 'a program that is only named like a tool server',
};
/** Kinds that serve their owner on standard streams, unless they are started as a server for any program. */
const SERVES_ON_STREAMS: ReadonlySet<string> = new Set(['tool_server', 'language_server']);
const ASKS_FOR_NETWORK =
  /^(?:-{1,2}(?:port|tcp|http|sse|listen|ws|web[-_]?socket)(?:=.*)?|--transport=(?!stdio$).*|http|sse|streamable[-_]?http)$/iu;
const DEPTH = 8;

/** Finds the kind of a process by its command line and, where that does not decide, by its environment, files and children. */
export function refineKind(
  process: ProcessFacts,
  findKind: FindKind,
  index: ProcessIndex<ProcessFacts>,
  depth = DEPTH,
): Kind | undefined {
  const kind = findKind(process.command, process.comm);
  const { deep } = process;
  if (kind === undefined) return hasTestMark(process) ? STARTED_BY_TEST : undefined;
  const listens = deep !== null && deep.listeningPorts.length > 0;
  if (kind.name === 'watcher') return listens ? SERVING_WATCHER : kind;
  if (SERVES_ON_STREAMS.has(kind.name) && listens && isStartedAsServer(process)) return SHARED_SERVER;
  if (kind.name === 'tool_server' && isOnlyNamed(process)) return ONLY_NAMED;
  // Some programs replace their command line with a title; then only the descriptor shows that it watches files.
  if (kind.name === 'build' && deep?.use?.watchesFiles === true && !listens) return WATCHER;
  return kind.role === 'helper' ? (kindOfOnlyChild(process, findKind, index, depth) ?? kind) : kind;
}

/** A wrapper such as `npm exec` is needed as long as the program it runs. */
function kindOfOnlyChild(
  { pid }: ProcessFacts,
  findKind: FindKind,
  index: ProcessIndex<ProcessFacts>,
  depth: number,
): Kind | undefined {
  const [child, ...others] = index.childrenOf(pid).filter((process) => !hasEnded(process));
  if (child === undefined || others.length > 0 || depth === 0) return undefined;
  const kind = refineKind(child, findKind, index, depth - 1);
  return kind?.role === 'owner_bound' ? kind : undefined;
}

/** Its arguments ask for a port, or a person started it on a terminal: its clients come and go. */
function isStartedAsServer({ command, deep }: ProcessFacts): boolean {
  return (
    deep?.stdio[0].kind === 'terminal' ||
    (command ?? []).slice(1).some((argument) => ASKS_FOR_NETWORK.test(argument))
  );
}

function hasTestMark({ deep }: ProcessFacts): boolean {
  return TEST_WORKER_VARIABLES.some((name) => deep?.environment[name] !== undefined);
}
