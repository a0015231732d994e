import { PROGRAM_NAMES, type ProgramName } from '../src/system/program-names.ts';
import { NO_PROC, renderStartFailure } from '../src/bin/start-failure.ts';

/** Machine code for one type of CPU, as `<hex> <assembler>` lines. */
interface Stub {
  readonly code: Buffer;
  /** Where the code jumps to the entry point of the runtime. */
  readonly jumpAt: number;
  /** Writes that jump, over a distance from there. */
  readonly writeJump: (code: Buffer, distance: number) => void;
}

const X64: Stub = {
  code: assemble(`
    b815000000        mov eax, 21                 access("/proc/self/maps", R_OK)
    488d3d68000000    lea rdi, [rip + path]
    be04000000        mov esi, 4
    0f05              syscall
    83f8fe            cmp eax, -2                 ENOENT
    0f8500000000      jne entry
    488b742408        mov rsi, [rsp + 8]          argv[0]
    488d1d5c000000    lea rbx, [rip + table]
    31c0              xor eax, eax
    4885f6            test rsi, rsi
    740e              je choose
    4889f7     slash: mov rdi, rsi                the name after the last slash
    ac          next: lodsb
    3c2f              cmp al, '/'
    74f8              je slash
    84c0              test al, al
    75f7              jne next
    8a07              mov al, [rdi]
    803b00    choose: cmp byte ptr [rbx], 0       the row of this letter, or the last one
    740a              je found
    3803              cmp [rbx], al
    7406              je found
    4883c308          add rbx, 8
    ebf1              jmp choose
    0fb67b01   found: movzx edi, byte ptr [rbx + 1]
    0fb75304          movzx edx, word ptr [rbx + 4]
    0fb77306          movzx esi, word ptr [rbx + 6]
    488d0525000000    lea rax, [rip + table]
    4801c6            add rsi, rax
    b801000000        mov eax, 1                  write(descriptor, text, length)
    0f05              syscall
    0fb67b02          movzx edi, byte ptr [rbx + 2]
    b8e7000000        mov eax, 231                exit_group(code)
    0f05              syscall`),
  jumpAt: 24,
  // Relative to the next instruction.
  writeJump: (code, distance) => code.writeInt32LE(distance - 4, 24),
};

const ARM64: Stub = {
  code: assemble(`
    e90300aa          mov x9, x0                  what the dynamic linker passes to the entry point
    600c8092          mov x0, -100                faccessat(AT_FDCWD, "/proc/self/maps", R_OK)
    41040010          adr x1, path
    820080d2          mov x2, 4
    080680d2          mov x8, 48
    010000d4          svc 0
    1f0800b1          cmn x0, 2                   ENOENT
    e00309aa          mov x0, x9
    40000054          b.eq missing
    00000014          b entry
    e10740f9 missing: ldr x1, [sp, 8]             argv[0]
    a5030010          adr x5, table
    e40305aa          mov x4, x5
    03008052          mov w3, 0
    e10000b4          cbz x1, choose
    e20301aa   slash: mov x2, x1                  the name after the last slash
    23144038    next: ldrb w3, [x1], 1
    7fbc0071          cmp w3, '/'
    a0ffff54          b.eq slash
    a3ffff35          cbnz w3, next
    43004039          ldrb w3, [x2]
    86004039  choose: ldrb w6, [x4]               the row of this letter, or the last one
    a6000034          cbz w6, found
    df00036b          cmp w6, w3
    60000054          b.eq found
    84200091          add x4, x4, 8
    fbffff17          b choose
    80044039   found: ldrb w0, [x4, 1]
    82084079          ldrh w2, [x4, 4]
    810c4079          ldrh w1, [x4, 6]
    2100058b          add x1, x1, x5
    080880d2          mov x8, 64                  write(descriptor, text, length)
    010000d4          svc 0
    80084039          ldrb w0, [x4, 2]
    c80b80d2          mov x8, 94                  exit_group(code)
    010000d4          svc 0`),
  jumpAt: 36,
  writeJump: (code, distance) => code.writeUInt32LE((0x14000000 | ((distance >> 2) & 0x3ffffff)) >>> 0, 36),
};

/** By the number of the CPU type in an ELF file. */
const STUBS: Readonly<Record<number, Stub>> = { 62: X64, 183: ARM64 };

const PATH = Buffer.from('/proc/self/maps\0');
const PAGE = 4096;

/**
 * Changes a runtime in place, so that it answers when `/proc` is not mounted: the C library needs it to find the stack, and the runtime would
 * abort before any of our code runs. A few instructions before its entry point check for it. They are in the unused bytes at the start of the
 * page where the code begins, so nothing is moved. Musl needs no `/proc`.
 */
export function answerWithoutProc(elf: Buffer): void {
  const segments = readSegments(elf);
  const interpreter = segments.find(({ type }) => type === 3);
  if (interpreter && elf.subarray(interpreter.offset, interpreter.end).includes('ld-musl')) return;
  const stub = STUBS[elf.readUInt16LE(18)];
  const loaded = segments.filter(({ type }) => type === 1);
  const at = loaded.findIndex(({ isCode }) => isCode);
  const [before, code] = [loaded[at - 1], loaded[at]];
  if (stub === undefined || before === undefined || code === undefined)
    throw new Error('The Bun runtime has another layout; check how to start it without /proc.');
  const added = Buffer.concat([stub.code, PATH, renderAnswers()]);
  // Instructions of arm64 are aligned.
  const offset = Math.ceil(Math.max(before.end, code.offset - (code.offset % PAGE)) / 16) * 16;
  const space = elf.subarray(offset, code.offset);
  if (space.length < added.length || space.some((byte) => byte !== 0))
    throw new Error(
      `The Bun runtime has ${space.length} unused bytes before its code; ${added.length} are needed.`,
    );
  const address = code.address - (code.offset - offset);
  const entry = Number(elf.readBigUInt64LE(24));
  stub.writeJump(added, entry - (address + stub.jumpAt));
  added.copy(elf, offset);
  elf.writeBigUInt64LE(BigInt(address), 24);
}

/** A row for each program, and their texts: first letter, descriptor, exit code, 0, length, offset. The row of deed is for other names too. */
function renderAnswers(): Buffer {
  const names = [...PROGRAM_NAMES.filter((name) => name !== 'deed'), 'deed'] as readonly ProgramName[];
  const rows = Buffer.alloc(names.length * 8);
  const texts: Buffer[] = [];
  let end = rows.length;
  for (const [index, name] of names.entries()) {
    const { descriptor, text, exitCode } = renderStartFailure(name, NO_PROC);
    const content = Buffer.from(text);
    const letter = name === 'deed' ? 0 : name.charCodeAt(0);
    rows.set([letter, descriptor, exitCode], index * 8);
    rows.writeUInt16LE(content.length, index * 8 + 4);
    rows.writeUInt16LE(end, index * 8 + 6);
    texts.push(content);
    end += content.length;
  }
  return Buffer.concat([rows, ...texts]);
}

interface Segment {
  readonly type: number;
  readonly isCode: boolean;
  readonly offset: number;
  readonly end: number;
  readonly address: number;
}

/** Reads the program headers of a 64-bit ELF file. */
function readSegments(elf: Buffer): readonly Segment[] {
  const [start, size, count] = [Number(elf.readBigUInt64LE(32)), elf.readUInt16LE(54), elf.readUInt16LE(56)];
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * size;
    const offset = Number(elf.readBigUInt64LE(at + 8));
    return {
      type: elf.readUInt32LE(at),
      isCode: (elf.readUInt32LE(at + 4) & 1) !== 0,
      offset,
      end: offset + Number(elf.readBigUInt64LE(at + 32)),
      address: Number(elf.readBigUInt64LE(at + 16)),
    };
  });
}

function assemble(text: string): Buffer {
  return Buffer.from(text.replaceAll(/^\s*([\da-f]+)\s.*$/gmu, '$1').replaceAll('\n', ''), 'hex');
}
