import { dirname } from 'node:path';
import type { ProcessFacts } from '../process-snapshot.ts';
import { programNames } from './program-names.ts';

/** Names that nothing but a tool server has. A script `mcp-notes` or `backup_mcp` may as well be a job. */
const UNAMBIGUOUS = /^mcp[-_](?:server|remote|proxy)|mcp[-_]server$/u;
/** Folders of packages and of their scopes, and the folders where npx, uv and pipx keep them. */
const PACKAGES = /\/(?:node_modules|@[^/]+|_npx|(?:site|dist)-packages|\.cache\/uv|uv\/tools|pipx)\//u;
const SERVES_ON_STREAMS = /^(?:--?)?(?:transport=)?stdio$/iu;

/**
 * Whether only its name suggests that a process is a tool server: a script outside of any package, or a program that leads its own session,
 * as a job over ssh does. A program that reads its input, or whose arguments ask it to serve on standard streams, is one.
 */
export function isOnlyNamed({ command, comm, deep, pid, session }: ProcessFacts): boolean {
  const { executable, program, names, args, script } = programNames(command, comm);
  if (names.some((name) => UNAMBIGUOUS.test(name))) return false;
  if (deep?.use?.readsInput === true || args.some((argument) => SERVES_ON_STREAMS.test(argument)))
    return false;
  if (PACKAGES.test(script?.path ?? executable)) return false;
  if (script === undefined) return session === pid && names.includes(program);
  // The scripts of a virtual environment, and those of npm install -g, are in the folder of their interpreter.
  const folder = dirname(script.path);
  return folder === '.' || ![script.interpreter, deep?.exe ?? ''].some((path) => dirname(path) === folder);
}
