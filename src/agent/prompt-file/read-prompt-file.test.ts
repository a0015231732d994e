import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillVariables } from './prompt-variables.ts';
import { readPromptFile } from './read-prompt-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-prompt-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('a prompt file', () => {
  it('has a first line for the shell, a head and a body', async () => {
    const path = write(
      'ask.ai',
      '#!/usr/bin/env ai-agent\n---\ndescription: Asks\nmodels: a/x, b/y\nmaxTurns: 3\noutput:\n  format: json\n---\nHello.\n---\nThere.\n',
    );
    expect(await readPromptFile(path)).toEqual({
      path,
      folder,
      frontmatter: { description: 'Asks', models: 'a/x, b/y', maxTurns: 3, output: { format: 'json' } },
      body: 'Hello.\n---\nThere.\n',
    });
  });

  it.each(['', 'Just text.', '---\n---\nText', '\uFEFFText with a mark'])(
    'may be without a head: %j',
    async (text) => {
      expect((await readPromptFile(write('x.ai', text))).frontmatter).toEqual({});
    },
  );

  it('may be kept to a folder, with all that it includes and wherever links lead', async () => {
    const inner = join(folder, 'inner');
    mkdirSync(inner);
    write('secret.md', 'secret');
    write('inner/near.md', 'near');
    symlinkSync('../secret.md', join(inner, 'link.md'));
    symlinkSync('../secret.md', join(inner, 'self.ai'));
    const good = write('inner/good.ai', '${include:near.md}');
    expect((await readPromptFile(good, inner)).body).toBe('near');
    for (const target of ['../secret.md', join(folder, 'secret.md'), 'link.md']) {
      const path = write('inner/bad.ai', `\${include:${target}}`);
      await expect(readPromptFile(path, inner)).rejects.toThrow(/outside of/u);
      expect((await readPromptFile(path)).body).toBe('secret');
    }
    await expect(readPromptFile(join(inner, 'self.ai'), inner)).rejects.toThrow(/lies outside of/u);
  });

  it('includes files, from their own folders, without their heads', async () => {
    write('inner.md', 'inner');
    write('outer.md', '---\nsecret: head\n---\nouter ${include:inner.md}');
    const path = write('x.ai', 'a ${include: outer.md } b');
    expect((await readPromptFile(path)).body).toBe('a outer inner b');
  });

  it.each([
    ['---\nmaxTruns: 3\n---\n', 'maxTruns: is not a known key'],
    ['---\nmaxTurns: 0\n---\n', 'maxTurns: must be at least 1'],
    ['---\nmaxTurns: 3\nmaxTurns: 4\n---\n', 'is not YAML'],
    ['---\n- a\n---\n', 'must be of type object'],
    ['${include:x.ai}', 'includes itself'],
    ['${include:gone.md}', 'which is not there'],
  ])('with a mistake is refused: %j', async (text, message) => {
    await expect(readPromptFile(write('x.ai', text))).rejects.toThrow(message);
  });

  it('that doubles with every include ends at a limit', async () => {
    for (let index = 0; index < 8; index += 1)
      write(`${index}.md`, `\${include:${index + 1}.md}\${include:${index + 1}.md}`);
    write('8.md', 'x');
    await expect(readPromptFile(write('x.ai', '${include:0.md}'))).rejects.toThrow(
      'includes more than 100 files',
    );
  });

  it('that stands for more values than memory holds is refused', async () => {
    const levels = Array.from({ length: 12 }, (_, index) => {
      const earlier = index === 0 ? '1' : `*a${index - 1}`;
      return `k${index}: &a${index} [${Array.from({ length: 10 }, () => earlier).join(', ')}]`;
    });
    await expect(readPromptFile(write('x.ai', `---\n${levels.join('\n')}\n---\n`))).rejects.toThrow();
  });
});

describe('variables', () => {
  it('are filled in both forms, and others are left alone', () => {
    expect(fillVariables('${A} {{A}} ${B} ${a} ${constructor}', { A: '$& 1' })).toBe(
      '$& 1 $& 1 ${B} ${a} ${constructor}',
    );
  });
});
