import { describe, expect, it } from 'vitest';
import { deed, executable } from '../fixtures/run-deed.ts';

const message = (name: string): string =>
  `${name} is not part of this version yet. Run "deed changelog" to see what is.`;

describe('an executable whose part is still to come', () => {
  it.each([['pt']] as const)('%s says so in its own form', (name) => {
    const { code, stdout, stderr } = deed([], { executable: executable(name) });
    expect({ code, stdout: stdout === '' ? '' : (JSON.parse(stdout) as unknown), stderr }).toEqual(
      {
        pt: {
          code: 10,
          stdout: {
            schema_version: '1.0.0',
            error: { code: 'INTERNAL_ERROR', message: message(name), recoverable: false },
          },
          stderr: '',
        },
      }[name],
    );
  });
});
