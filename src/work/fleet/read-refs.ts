import { readFiles, readRecentFiles } from '../workspace/remote/document-commit.ts';
import { fetchNamedRefs } from '../workspace/remote/fetch-named-refs.ts';
import { fetchRefs, listRefs, type RemotePlace } from '../workspace/remote/remote-refs.ts';
import type { WorkspaceContext } from '../workspace/workspace.ts';

/** The commit of a ref, and the text that was asked for. */
export interface ReadRef {
  readonly commit: string;
  readonly text: string | undefined;
}

/** The clone of this host, and its remote. */
interface RefPlace extends RemotePlace {
  readonly workspace: WorkspaceContext;
}

/** Returns what to read of a ref, as a git revision: `<commit>:<file>`, or the commit itself. */
type NameOf = (ref: string, commit: string) => string;

const MAX_READS = 4;
const MAX_REMEMBERED = 10_000;

/** Reads refs by name or pattern; those that do not exist are left out. If all of them exist, it takes one request to the remote. */
export async function readRefs(
  remote: RefPlace,
  patterns: readonly string[],
  nameOf: NameOf,
): Promise<ReadonlyMap<string, ReadRef>> {
  const { workspace, root } = remote;
  const isNamed = patterns.every((pattern) => !pattern.endsWith('*'));
  const fetched = isNamed ? await fetchNamedRefs(workspace, remote, patterns) : undefined;
  if (fetched === undefined) return readListed(remote, patterns, nameOf);
  const names = namesOf(fetched, nameOf);
  return join(fetched, names, await readFiles(workspace, root, [...names.values()]));
}

/** Lists refs, and fetches what the clone does not have. */
async function readListed(
  remote: RefPlace,
  patterns: readonly string[],
  nameOf: NameOf,
): Promise<ReadonlyMap<string, ReadRef>> {
  const { workspace, root } = remote;
  for (let reads = 1; ; reads += 1) {
    const listed = await listRefs(workspace, remote, patterns);
    const names = namesOf(listed, nameOf);
    const known = await readKnown(remote, [...names.values()]);
    const missing = [...names].filter(([, name]) => !known.has(name));
    await fetchRefs(
      workspace,
      remote,
      missing.map(([ref]) => ref),
    );
    const fetched = await readFiles(
      workspace,
      root,
      missing.map(([, name]) => name),
    );
    if (readBefore.size > MAX_REMEMBERED) readBefore.clear();
    for (const name of fetched.keys()) readBefore.add(name);
    // A ref may have moved between the list and the fetch; then the list is old.
    if (reads < MAX_READS && missing.some(([, name]) => !fetched.has(name))) continue;
    return join(listed, names, new Map([...known, ...fetched]));
  }
}

/** What this process has fetched, which is in its clone. */
const readBefore = new Set<string>();

/** Reads from the clone. Starts no git process for commits that this process has not fetched, because the clone usually does not have them. */
async function readKnown(
  { workspace, root }: RefPlace,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const recent = await readRecentFiles(workspace, root, names);
  const packed = names.filter((name) => !recent.has(name) && readBefore.has(name));
  return packed.length === 0 ? recent : new Map([...recent, ...(await readFiles(workspace, root, packed))]);
}

function namesOf(commits: ReadonlyMap<string, string>, nameOf: NameOf): ReadonlyMap<string, string> {
  return new Map([...commits].map(([ref, commit]) => [ref, nameOf(ref, commit)]));
}

function join(
  commits: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, string>,
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, ReadRef> {
  return new Map(
    [...commits].map(([ref, commit]) => [ref, { commit, text: texts.get(names.get(ref) ?? '') }]),
  );
}
