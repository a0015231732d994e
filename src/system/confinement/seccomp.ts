import { ownMember } from '../../base/own-member.ts';
import { addressOf } from '../libc/address-of.ts';
import { orThrow } from '../libc/libc.ts';
import type { NativeLibrary } from '../libc/symbols.ts';

const PR_SET_SECCOMP = 22;
const SECCOMP_MODE_FILTER = 2;

/** Classic BPF: load a word of the call, compare, return. */
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;
/** Offsets in the kernel's description of a call. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

const ALLOW = 0x7fff0000;
const EPERM_RESULT = 0x00050000 | 1;
const AF_UNIX = 1;
const IO_URING_SETUP = 425;
/** Calls of the x32 interface have this bit. */
const X32_BIT = 0x40000000;

interface Architecture {
  readonly id: number;
  readonly socket: number;
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { id: 0xc000003e, socket: 41 },
  arm64: { id: 0xc00000b7, socket: 198 },
};

/**
 * Makes every socket that is not a Unix socket fail with EPERM, for the calling thread and everything it executes. io_uring is
 * rejected too, because it creates sockets without a system call, and so are calls of other architectures.
 */
export function applySocketFilter(library: NativeLibrary, architecture: string): void {
  const known = ownMember(ARCHITECTURES, architecture);
  if (known === undefined) throw new Error(`No socket filter for ${architecture}.`);
  const filter = assemble([
    [LOAD, 0, 0, ARCHITECTURE],
    [IF_EQUAL, 0, 7, known.id],
    [LOAD, 0, 0, NUMBER],
    [IF_AT_LEAST, 5, 0, X32_BIT],
    [IF_EQUAL, 4, 0, IO_URING_SETUP],
    [IF_EQUAL, 0, 2, known.socket],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [IF_EQUAL, 0, 1, AF_UNIX],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, EPERM_RESULT],
  ]);
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, filter.length / 8, true);
  program.setBigUint64(8, BigInt(addressOf(library, filter)), true);
  const bytes = new Uint8Array(program.buffer);
  const result = library.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, addressOf(library, bytes), 0, 0);
  orThrow('prctl', result);
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

function assemble(instructions: readonly Instruction[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(instructions.length * 8));
  instructions.forEach(([code, ifTrue, ifFalse, value], index) => {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, ifTrue);
    view.setUint8(index * 8 + 3, ifFalse);
    view.setUint32(index * 8 + 4, value, true);
  });
  return new Uint8Array(view.buffer);
}
