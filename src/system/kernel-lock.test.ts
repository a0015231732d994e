import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { takeKernelLock, tryKernelLock } from './kernel-lock.ts';
import { openLibc } from './libc/libc.ts';

const libc = await openLibc();
const folder = mkdtempSync(join(tmpdir(), 'deed-kernel-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a kernel lock', () => {
  it('has one holder at a time, and is free after its release', async () => {
    const path = join(folder, 'one');
    const held = tryKernelLock(libc, path);
    expect(tryKernelLock(libc, path)).toBeUndefined();
    await expect(takeKernelLock(libc, path, 30)).rejects.toMatchObject({ code: 'E_TIMEOUT' });
    held?.release();
    const again = await takeKernelLock(libc, path, 1000);
    again.release();
  });

  it('whose file was removed is not held by processes that opened that file before', () => {
    const path = join(folder, 'two');
    tryKernelLock(libc, path)?.remove();
    const held = tryKernelLock(libc, path);
    expect(held).toBeDefined();
    expect(tryKernelLock(libc, path)).toBeUndefined();
    held?.remove();
  });

  it('in a missing folder is a fault', () => {
    expect(() => tryKernelLock(libc, join(folder, 'no/lock'))).toThrow(
      expect.objectContaining({ code: 'E_IO' }),
    );
  });
});
