import {
  chmodSync,
  copyFileSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { WorkContext } from '../work-context.ts';
import { placeFile } from '../workspace/place-file.ts';
import { isWithin } from '../workspace/resolve-tree.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { AgentConfig } from './agent-config.ts';
import { signInPaths } from './sign-in-paths.ts';

/** The folder of an agent's state in a home, with its sessions below, and how a session's file is named. */
interface StateFolder {
  readonly name: string;
  readonly sessions: string;
  /** The depth of the files below the folder of sessions. */
  readonly depth: number;
  readonly isSession: (file: string, id: string) => boolean;
}

const FOLDERS: Partial<Readonly<Record<AgentConfig['kind'], StateFolder>>> = {
  claude: {
    name: '.claude',
    sessions: 'projects',
    depth: 2,
    isSession: (file, id) => file === `${id}.jsonl`,
  },
  codex: {
    name: '.codex',
    sessions: 'sessions',
    depth: 4,
    isSession: (file, id) => file.startsWith('rollout-') && file.endsWith(`-${id}.jsonl`),
  },
};

type StateContext = Pick<WorkContext, 'env' | 'workspace'>;

/**
 * Prepares the private home of a run for its agent: the folder of its state, its sign-in where the sandbox does not show it at its
 * usual path, and the session that it continues. Returns whether that session exists. Contract: no process runs in the workspace; a setup command may have run before.
 */
export function prepareState(
  context: StateContext,
  workspace: Pick<Workspace, 'home' | 'root'>,
  { kind }: Pick<AgentConfig, 'kind'>,
  earlierRun?: string,
): boolean {
  const state = FOLDERS[kind];
  const { home } = workspace;
  if (state === undefined || home === undefined) return false;
  const folder = createFolder(home.host, state.name, home.host);
  for (const path of signInPaths({ kind }, context)) {
    if (path !== join(home.inside, state.name, basename(path)) && existsSync(path))
      copyToHome(path, join(folder, basename(path)), home.host);
  }
  return earlierRun !== undefined && restoreSession(context, workspace, state, earlierRun);
}

/** Keeps the session of an agent for a later run; nothing if its file is not found. The agent wrote the folder, so links are not followed. */
export function saveSession(
  context: StateContext,
  { home }: Pick<Workspace, 'home'>,
  { kind }: Pick<AgentConfig, 'kind'>,
  { runId, sessionId }: { readonly runId: string; readonly sessionId: string },
): void {
  const state = FOLDERS[kind];
  if (state === undefined || home === undefined) return;
  const root = join(home.host, state.name, state.sessions);
  const file = findFile(root, state.depth, (name) => state.isSession(name, sessionId));
  if (file === undefined || !isWithin(realpathSync(home.host), realpathSync(file))) return;
  if (lstatSync(file).size > WORK_LIMITS.recordingBytes) return;
  const target = join(sessionFolder(context, runId), relative(root, file));
  ensurePrivateFolder(sessionFolder(context, runId));
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  copyFileSync(file, target);
  chmodSync(target, 0o600);
}

function restoreSession(
  context: StateContext,
  { home, root }: Pick<Workspace, 'home' | 'root'>,
  state: StateFolder,
  runId: string,
): boolean {
  const from = sessionFolder(context, runId);
  const file = findFile(from, state.depth, () => true);
  if (home === undefined || file === undefined) return false;
  const sessions = join(home.host, state.name, state.sessions);
  // Claude looks for sessions in a folder named after the working directory, which a copy of the tree changes.
  const places = [
    relative(from, file),
    ...(state.name === '.claude' ? [join(root.replaceAll(/[^a-zA-Z0-9]/gu, '-'), basename(file))] : []),
  ];
  for (const place of new Set(places)) copyToHome(file, join(sessions, place), home.host);
  return true;
}

/** The folder with the session of a run; deleted together with the data for its replay. */
export function sessionFolder({ workspace }: Pick<WorkContext, 'workspace'>, runId: string): string {
  return join(workspace.folder, 'sessions', runId);
}

/** Finds a file by its name at a depth below a folder; links are not followed. */
function findFile(folder: string, depth: number, isWanted: (name: string) => boolean): string | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return undefined;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (depth > 1 && entry.isDirectory()) {
      const found = findFile(path, depth - 1, isWanted);
      if (found !== undefined) return found;
    }
    if (depth === 1 && entry.isFile() && isWanted(entry.name)) return path;
  }
  return undefined;
}

/** Copies a file into the private home; it belongs to the account of the commands, as the home does. */
function copyToHome(from: string, to: string, home: string): void {
  createFolder(home, relative(home, dirname(to)), home);
  placeFile(to, readFileSync(from), 0o600);
  chownLike(to, home);
}

function createFolder(root: string, inner: string, home: string): string {
  let path = root;
  for (const name of inner.split('/')) {
    path = join(path, name);
    // A setup command may have put a link there.
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) continue;
    rmSync(path, { force: true });
    mkdirSync(path, { mode: 0o700 });
    chownLike(path, home);
  }
  return path;
}

function chownLike(path: string, home: string): void {
  const [wanted, now] = [statSync(home), lstatSync(path)];
  if (wanted.uid !== now.uid || wanted.gid !== now.gid) lchownSync(path, wanted.uid, wanted.gid);
}
