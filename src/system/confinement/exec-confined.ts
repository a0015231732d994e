import { loadLibrary, toCString, orThrow } from '../libc/libc.ts';
import { addressOf } from '../libc/address-of.ts';
import type { NativeLibrary } from '../libc/symbols.ts';
import type { Confinement } from './confinement.ts';
import { applyLandlock } from './landlock.ts';
import { applySocketFilter } from './seccomp.ts';

const PR_SET_PDEATHSIG = 1;
const PR_CAPBSET_DROP = 24;
const PR_SET_NO_NEW_PRIVS = 38;
const SIGKILL = 9;
const SIGNAL_COUNT = 64;
const SIG_SETMASK = 2;
const F_SETFD = 2;
/** Standard streams and the status pipe; the runtime marks them close-on-exec. */
const INHERITED = [0, 1, 2, 3];
const LAST_CAPABILITY = 63;

/**
 * Confines this process and replaces it with the command. Only the calling thread is restricted; replacing the process ends all others.
 * Contract: does not return.
 */
export async function execConfined(
  { argv, ...confinement }: Confinement,
  system: { readonly architecture: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<never> {
  const library = await loadLibrary();
  // If the supervisor is killed, the kernel kills the command too.
  orThrow('prctl', library.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
  dropCapabilities(library);
  orThrow('prctl', library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  applyLandlock(library, { argv, ...confinement });
  if (!confinement.network) applySocketFilter(library, system.architecture);
  resetSignals(library);
  for (const descriptor of INHERITED) library.fcntl(descriptor, F_SETFD, 0);
  const words = pointers(library, argv);
  const env = Object.entries(system.env).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  const variables = pointers(library, env);
  orThrow('execve', library.execve(toCString(argv[0] ?? ''), words.bytes, variables.bytes));
  throw new Error('execve returned without an error');
}

/** Empties the bounding set, so that a program executed as root has no capabilities. For other accounts it stops at the first error: they have none. */
function dropCapabilities(library: NativeLibrary): void {
  for (let capability = 0; capability <= LAST_CAPABILITY; capability += 1)
    if (library.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0).value === -1) return;
}

/** The runtime ignores SIGPIPE and may block signals; the command gets the defaults. */
function resetSignals(library: NativeLibrary): void {
  for (let signal = 1; signal <= SIGNAL_COUNT; signal += 1) library.signal(signal, 0);
  orThrow('sigprocmask', library.sigprocmask(SIG_SETMASK, new Uint8Array(128), 0));
}

/** An array of pointers to strings, terminated by NULL; `texts` keeps the strings in memory. */
function pointers(
  library: NativeLibrary,
  words: readonly string[],
): { readonly bytes: Uint8Array; readonly texts: readonly Uint8Array[] } {
  const texts = words.map((word) => toCString(word));
  const view = new DataView(new ArrayBuffer((words.length + 1) * 8));
  texts.forEach((text, index) => view.setBigUint64(index * 8, BigInt(addressOf(library, text)), true));
  return { bytes: new Uint8Array(view.buffer), texts };
}
