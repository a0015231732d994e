import { closeSync, openSync, statSync } from 'node:fs';
import { systemCode } from '../../base/system-fault.ts';
import { addressOf } from '../libc/address-of.ts';
import { orThrow } from '../libc/libc.ts';
import type { NativeLibrary } from '../libc/symbols.ts';
import { SCOPED_LANDLOCK_ABI, type Confinement } from './confinement.ts';

// The numbers of these system calls are the same on every architecture.
const CREATE_RULESET = 444;
const ADD_RULE = 445;
const RESTRICT_SELF = 446;
const VERSION_FLAG = 1;
const PATH_BENEATH = 1;

const EXECUTE = 1 << 0;
const WRITE_FILE = 1 << 1;
const READ_FILE = 1 << 2;
const READ_DIR = 1 << 3;
/** Everything of the first version: write, read, execute, remove, make. */
const FIRST_VERSION = (1 << 13) - 1;
const REFER = 1 << 13;
const TRUNCATE = 1 << 14;
const IOCTL_DEVICE = 1 << 15;
/** Rights that apply to files; a rule for a file with any other right is rejected by the kernel. */
const OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE;

const SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 3;
/** O_PATH | O_CLOEXEC: the file is only named, not opened. */
const O_PATH = 0o12000000;

/** The version of Landlock in this kernel; 0 if it is missing or disabled. */
export function landlockAbi(library: NativeLibrary): number {
  const { value } = library.syscall(CREATE_RULESET, 0, 0, VERSION_FLAG, 0);
  return Math.max(0, value);
}

/** Restricts the calling thread and everything it executes. The caller has set `no_new_privs`. */
export function applyLandlock(library: NativeLibrary, confinement: Confinement): void {
  const abi = landlockAbi(library);
  const handled = handledRights(abi);
  const attributes = new DataView(new ArrayBuffer(24));
  attributes.setBigUint64(0, BigInt(handled), true);
  const scoped = abi >= SCOPED_LANDLOCK_ABI;
  if (scoped) attributes.setBigUint64(16, BigInt(SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS), true);
  const bytes = new Uint8Array(attributes.buffer);
  const ruleset = orThrow(
    'landlock_create_ruleset',
    library.syscall(CREATE_RULESET, addressOf(library, bytes), scoped ? 24 : 8, 0, 0),
  );
  const allow = (paths: readonly string[], rights: number): void => {
    for (const path of paths) addRule(library, ruleset, path, rights & handled);
  };
  allow(confinement.read, EXECUTE | READ_FILE | READ_DIR);
  allow(confinement.write, handled & ~IOCTL_DEVICE);
  allow(confinement.devices, READ_FILE | WRITE_FILE | IOCTL_DEVICE);
  orThrow('landlock_restrict_self', library.syscall(RESTRICT_SELF, ruleset, 0, 0, 0));
  closeSync(ruleset);
}

function handledRights(abi: number): number {
  return FIRST_VERSION | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0) | (abi >= 5 ? IOCTL_DEVICE : 0);
}

/** A path that disappeared is not accessible anyway. */
function addRule(library: NativeLibrary, ruleset: number, path: string, rights: number): void {
  let file: number;
  try {
    file = openSync(path, O_PATH);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(systemCode(error) ?? '')) return;
    throw error;
  }
  try {
    const attributes = new DataView(new ArrayBuffer(12));
    attributes.setBigUint64(0, BigInt(statSync(path).isDirectory() ? rights : rights & OF_FILES), true);
    attributes.setInt32(8, file, true);
    const bytes = new Uint8Array(attributes.buffer);
    const result = library.syscall(ADD_RULE, ruleset, PATH_BENEATH, addressOf(library, bytes), 0);
    orThrow('landlock_add_rule', result);
  } finally {
    closeSync(file);
  }
}
