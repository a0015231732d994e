import { ownMember } from './own-member.ts';
import { Fault } from './fault.ts';

/** System error codes that mean a missing permission, not a failed operation. */
const PERMISSION_ERRORS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

const FIXES: Readonly<Record<string, string>> = {
  EACCES: 'Check the owner and mode of this path.',
  EPERM: 'Check the owner and mode of this path.',
  EROFS: 'The file system is read-only; choose a folder that can be written.',
  ENOSPC: 'The disk is full; free some space, then run the command again.',
  EDQUOT: 'The disk quota is used up; free some space, then run the command again.',
  EMFILE: 'Too many files are open; raise the limit or run fewer processes.',
  ENOTDIR: 'A part of this path is a file where a folder is needed.',
  EEXIST: 'Something else exists at this path; move it.',
  EISDIR: 'This path is a folder where a file is needed.',
};

/** Returns the system error code (`ENOENT` …) of a thrown value. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Turns a failed file operation into a fault that names the path and the fix. */
export function faultFromSystem(error: unknown, doing: string, path: string): Fault {
  if (error instanceof Fault) return error;
  const reason = systemCode(error) ?? 'unknown';
  const code = PERMISSION_ERRORS.has(reason) ? 'E_FORBIDDEN' : 'E_IO';
  return new Fault(code, `Could not ${doing} ${path} (${reason}).`, {
    hint: ownMember(FIXES, reason) ?? 'Check that the path exists and can be used.',
    details: { path, reason },
    cause: error,
  });
}
