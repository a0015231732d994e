import { describe, expect, it } from 'vitest';
import { deed, executable } from '../fixtures/run-deed.ts';

const message = (name: string): string =>
  `${name} is not part of this version yet. Run "deed changelog" to see what is.`;

describe('an executable whose part is still to come', () => {
  it('ai-agent says so in its own form', () => {
    const { code, stdout, stderr } = deed([], { executable: executable('ai-agent') });
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `${message('ai-agent')}\n` });
  });
});
