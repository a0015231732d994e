import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, deed, executable, TARGET, type Run } from '../fixtures/run-deed.ts';

describe.runIf(TARGET === 'bundle')('a Node that is too old', () => {
  let folder = '';
  let home: ReturnType<typeof createHome>;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'deed-old-node-'));
    home = createHome();
    // What the program looks at, and one thing that older versions do not have and the program uses.
    writeFileSync(
      join(folder, 'pretend.cjs'),
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });
       delete require('node:module').enableCompileCache;`,
    );
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    home.dispose();
  });

  const run = (name: 'deed' | 'vybe' | 'pt' | 'ai-agent'): Run => {
    const [node, bin = ''] = executable(name);
    const command = [node, '--require', join(folder, 'pretend.cjs'), bin];
    return deed(['context'], { home: home.path, executable: command });
  };
  const message = (name: string): string => `${name} needs Node 24 or newer; this is Node 20.1.0.`;

  it('is refused by deed as a configuration error, with what to do', () => {
    const { code, envelope, stderr } = run('deed');
    expect({ code, envelope, stderr }).toEqual({
      code: 4,
      envelope: {
        ok: false,
        schema_version: '1.0',
        error: {
          code: 'E_CONFIG',
          message: message('deed'),
          details: {
            required: '>=24',
            found: '20.1.0',
            hint: 'Install Node 24, or use the standalone executable.',
          },
          retryable: false,
        },
        meta: { duration_ms: 0 },
      },
      stderr: '',
    });
  });

  it('is refused by vybe in its own form', () => {
    const { code, stdout } = run('vybe');
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      { schema_version: 'v1', success: false, error: message('vybe'), error_code: 'E_CONFIG' },
    ]);
  });

  it('is refused by pt in its own form', () => {
    const { code, stdout } = run('pt');
    expect([code, JSON.parse(stdout)]).toEqual([
      10,
      {
        schema_version: '1.0.0',
        error: { code: 'INTERNAL_ERROR', message: message('pt'), recoverable: false },
      },
    ]);
  });

  it('is refused by ai-agent on standard error', () => {
    const { code, stdout, stderr } = run('ai-agent');
    expect([code, stdout, stderr]).toEqual([4, '', `${message('ai-agent')}\n`]);
  });
});
