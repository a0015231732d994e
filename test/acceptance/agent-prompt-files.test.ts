import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest as test } from '../fixtures/agent-test.ts';
import { aiAgentHere } from '../fixtures/run-ai-agent-here.ts';
import { configureReport, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { confirmInProcess, DEED, runInProcess } from '../fixtures/run-in-process.ts';

/** Prompt files under any name, invalid text, and the trust of a folder. */
const limitsOf = async (folder: AgentFolder, given: string): Promise<Record<string, unknown>> => {
  const { stdout, stderr } = await aiAgentHere([given, 'u', '--dry-run'], folder);
  expect(stderr).not.toContain('error');
  return (JSON.parse(stdout) as { limits: Record<string, unknown> }).limits;
};

describe.concurrent('a file', () => {
  test('with the first line of a prompt file is one under any name', async ({ folder }) => {
    configureReport(folder);
    const lead = folder.write('lead', '#!/usr/bin/env ai-agent\n---\nmaxTurns: 3\n---\nYou lead.');
    chmodSync(lead, 0o755);
    folder.write('sys.txt', '---\nmaxTurns: 4\n---\nYou lead.');
    expect((await limitsOf(folder, './lead')).maxTurns).toBe(3);
    expect((await limitsOf(folder, '@lead')).maxTurns).toBe(3);
    expect((await limitsOf(folder, '@sys.txt')).maxTurns).toBe(4);
  });

  test('with frontmatter that is not closed is refused under any name', async ({ folder }) => {
    configureReport(folder);
    folder.write('sys.txt', '---\nmaxTurns: 4\nYou lead.');
    const run = await aiAgentHere(['@sys.txt', 'u'], folder);
    expect([run.code, run.stderr]).toEqual([4, expect.stringContaining('frontmatter that is not closed')]);
  });

  test('that starts with a rule is text, and so is the path of a text file', async ({ folder }) => {
    configureReport(folder);
    folder.write('sys.txt', '---\n\nYou lead.\n---\n');
    expect((await limitsOf(folder, '@sys.txt')).maxTurns).toBe(10);
    const run = await aiAgentHere(['./sys.txt', 'u', '--dry-run'], folder);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('pass @./sys.txt')]);
  });

  test('with invalid YAML is refused with the line of the file', async ({ folder }) => {
    configureReport(folder);
    folder.write('a.ai', '#!/usr/bin/env ai-agent\n---\nmaxTurns: 3\ntools: [a\n---\nYou lead.');
    const run = await aiAgentHere(['a.ai', 'u'], folder);
    expect([run.code, run.stderr]).toEqual([
      4,
      expect.stringMatching(/a\.ai has invalid YAML frontmatter in line [45], column/u),
    ]);
  });
});

describe.concurrent('bytes that are not UTF-8', () => {
  const BYTES = Buffer.from([0x59, 0x6f, 0xff, 0x75]);

  test.for<[string, string[]]>([
    ['in a prompt file', ['p.ai', 'u']],
    ['in its frontmatter', ['f.ai', 'u']],
    ['in an included file', ['i.ai', 'u']],
    ['in a system prompt', ['@p.ai', 'u']],
    ['in a task', ['s', '@t.txt']],
  ])('%s are refused with file and offset', async ([, argv], { folder }) => {
    configureReport(folder);
    writeFileSync(join(folder.path, 'p.ai'), BYTES);
    writeFileSync(join(folder.path, 't.txt'), BYTES);
    writeFileSync(
      join(folder.path, 'f.ai'),
      Buffer.concat([Buffer.from('---\ndescription: '), BYTES, Buffer.from('\n---\nYou.')]),
    );
    folder.write('i.ai', 'You ${include:p.ai}');
    const run = await aiAgentHere(argv, folder);
    expect([run.code, run.stderr]).toEqual([
      4,
      expect.stringMatching(/\.(?:ai|txt) is not valid UTF-8: 0xff at byte \d+/u),
    ]);
  });

  test('and NUL are refused on standard input', async ({ folder }) => {
    configureReport(folder);
    const run = await aiAgentHere(['s', '-'], folder, { input: 'a\0b' });
    expect([run.code, run.stderr]).toEqual([
      4,
      expect.stringContaining('Standard input contains a NUL byte: 0x00 at byte 1'),
    ]);
  });
});

test('a folder with variables is trusted in one step', async ({ folder }) => {
  configureReport(folder, { providers: { s: { type: 'script', file: '${FILE}' } } });
  folder.write('.ai-agent.env', 'FILE=script.json\n');
  const options = { home: join(folder.home, '.deed'), cwd: folder.path, env: { HOME: folder.home } };
  const validate = () => runInProcess(['agent', 'validate', 's', 'u'], DEED, options);
  const before = await validate();
  expect([before.code, before.stderr]).toEqual([
    4,
    expect.stringContaining('--file .ai-agent.json --dry-run'),
  ]);
  const trust = ['config', 'trust', '.', '--file', '.ai-agent.json'];
  const trusted = await confirmInProcess(trust, DEED, options);
  expect(trusted.envelope.data).toMatchObject({
    trusted: true,
    files: [expect.stringContaining('.ai-agent.json'), expect.stringContaining('.ai-agent.env')],
  });
  expect((await validate()).code).toBe(0);
  folder.write('.ai-agent.env', 'FILE=other.json\n');
  expect((await validate()).stderr).toMatch(/\.ai-agent\.env is not trusted: the providers of/u);
  const revoked = await confirmInProcess([...trust, '--revoke'], DEED, options);
  expect(revoked.envelope.data).toMatchObject({
    trusted: false,
    files: [expect.anything(), expect.anything()],
  });
});
