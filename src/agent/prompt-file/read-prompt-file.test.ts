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
  it('consists of a shebang line, frontmatter and a body', async () => {
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

  it.each([
    'Just text.',
    'Title\n---\nText',
    'Text\n---\nmodel: not a setting',
    '---\n---\nText',
    '\uFEFFText with a mark',
  ])('may omit the frontmatter: %j', async (text) => {
    expect((await readPromptFile(write('x.ai', text))).frontmatter).toEqual({});
  });

  it('may have the line ends of Windows', async () => {
    const { frontmatter, body } = await readPromptFile(
      write('x.ai', '---\r\nmaxTurns: 3\r\n---\r\nHello.\r\n'),
    );
    expect([frontmatter, body]).toEqual([{ maxTurns: 3 }, 'Hello.\r\n']);
  });

  it.each([
    ['', 'contains no prompt'],
    ['---\nmaxTurns: 3\n---\n\n', 'contains no prompt'],
    ['----\nmaxTurns: 3\n----\nHello.', 'has settings after "----" in line 1'],
    ['---yaml\nmaxTurns: 3\n---\nHello.', 'has settings after "---yaml" in line 1'],
    ['+++\nmaxTurns = 3\n+++\nHello.', 'has settings after "+++" in line 1'],
    ['# An agent\n\n---\nmaxTurns: 3\n---\nHello.', 'has settings after "---" in line 3'],
    ['---\nmaxTurns: 3\nHello.', 'is not closed'],
    ['#!/usr/bin/env ai-agent\n---\nmaxTurns: 3\n--\nHello.', 'is not closed'],
    ['---', 'is not closed'],
    ['\n---\nmaxTurns: 3\n---\nHello.', 'white space before its frontmatter'],
    ['#!/usr/bin/env ai-agent\n\n---\nmaxTurns: 3\n---\nHello.', 'white space before its frontmatter'],
    [' ---\nmaxTurns: 3\n---\nHello.', 'white space before its frontmatter'],
  ])('with frontmatter that would be read as text is rejected: %j', async (text, problem) => {
    await expect(readPromptFile(write('x.ai', text))).rejects.toThrow(problem);
  });

  it('ends its frontmatter only at a line of its own', async () => {
    const path = write('x.ai', '---\ndescription: a---\nmaxTurns: 3\n---\nHello.');
    expect((await readPromptFile(path)).frontmatter).toEqual({ description: 'a---', maxTurns: 3 });
  });

  it('can be confined to a folder, including its includes and symbolic links', async () => {
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
      await expect(readPromptFile(path, inner)).rejects.toThrow(/is outside/u);
      expect((await readPromptFile(path)).body).toBe('secret');
    }
    await expect(readPromptFile(join(inner, 'self.ai'), inner)).rejects.toThrow(/self\.ai is outside/u);
  });

  it('includes files relative to the including file, without their frontmatter', async () => {
    write('inner.md', 'inner');
    write('outer.md', '---\nsecret: head\n---\nouter ${include:inner.md}');
    const path = write('x.ai', 'a ${include: outer.md } b');
    expect((await readPromptFile(path)).body).toBe('a outer inner b');
  });

  it.each([
    ['---\nmaxTruns: 3\n---\n', 'maxTruns: is not a known key'],
    ['---\nmaxTurns: 0\n---\n', 'maxTurns: must be at least 1'],
    ['---\nmaxTurns: 3\nmaxTurns: 4\n---\n', 'has invalid YAML frontmatter'],
    ['---\n- a\n---\n', 'must be of type object'],
    ['${include:x.ai}', 'includes itself'],
    ['${include:gone.md}', 'which does not exist'],
  ])('is rejected when invalid: %j', async (text, message) => {
    await expect(readPromptFile(write('x.ai', text))).rejects.toThrow(message);
  });

  it('has a limit on the number of includes', async () => {
    for (let index = 0; index < 8; index += 1)
      write(`${index}.md`, `\${include:${index + 1}.md}\${include:${index + 1}.md}`);
    write('8.md', 'x');
    await expect(readPromptFile(write('x.ai', '${include:0.md}'))).rejects.toThrow(
      'includes more than 100 files',
    );
  });

  it('is rejected when its YAML aliases expand too far', async () => {
    const levels = Array.from({ length: 12 }, (_, index) => {
      const earlier = index === 0 ? '1' : `*a${index - 1}`;
      return `k${index}: &a${index} [${Array.from({ length: 10 }, () => earlier).join(', ')}]`;
    });
    await expect(readPromptFile(write('x.ai', `---\n${levels.join('\n')}\n---\n`))).rejects.toThrow();
  });
});

describe('variables', () => {
  it('are substituted in both forms; unknown ones stay unchanged', () => {
    expect(fillVariables('${A} {{A}} ${B} ${a} ${constructor}', { A: '$& 1' })).toBe(
      '$& 1 $& 1 ${B} ${a} ${constructor}',
    );
  });
});
