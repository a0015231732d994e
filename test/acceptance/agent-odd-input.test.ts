import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest as test } from '../fixtures/agent-test.ts';
import { aiAgent, configureReport, mcpServer } from '../fixtures/run-ai-agent.ts';
import { agentHere } from '../fixtures/run-here.ts';

/** Files and settings that are easy to get wrong: each is an error of the configuration that says how to fix it, or works. */
describe.concurrent('a file that cannot be read', () => {
  test.for<[string, string[]]>([
    ['a folder as prompt file', ['folder.ai', 'u']],
    ['a link to itself as prompt file', ['loop.ai', 'u']],
    ['a folder as prompt', ['s', '@folder.ai']],
    ['a folder as configuration', ['s', 'u', '--config', 'folder.ai']],
    ['an empty prompt file', ['empty.ai', 'u']],
    ['an empty file as prompt', ['s', '@empty.ai']],
    ['a prompt of white space', ['s', ' \n']],
  ])('is an error of the arguments: %s', async ([, argv], { folder }) => {
    configureReport(folder);
    mkdirSync(join(folder.path, 'folder.ai'));
    symlinkSync('loop.ai', join(folder.path, 'loop.ai'));
    folder.write('empty.ai', '');
    const run = await agentHere(argv, { folder });
    expect([run.code, run.stdout]).toEqual([4, '']);
    expect(run.stderr.trim().split('\n').length).toBeGreaterThanOrEqual(2);
  });
});

describe.concurrent('sub-agents', () => {
  test.for([
    ['with the same name', '[a.ai, other/a.ai]', 'two sub-agents have this name'],
    ['with the name of a tool of the runtime', 'report.ai', 'agent__final_report is a tool of every agent'],
  ])('%s are rejected', async ([, agents, message], { folder }) => {
    configureReport(folder);
    for (const name of ['a.ai', 'other/a.ai']) folder.write(name, 'You help.');
    folder.write('report.ai', '---\ntoolName: final_report\n---\nYou help.');
    folder.write('lead.ai', `---\nagents: ${agents}\n---\nYou lead.`);
    const run = await agentHere(['lead.ai', 'u'], { folder });
    expect([run.code, run.stderr.includes(message ?? '')]).toEqual([4, true]);
  });
});

describe.concurrent('a timeout that is longer than a timer', () => {
  test('is rejected instead of firing at once', async ({ folder }) => {
    configureReport(folder, { mcpServers: { tool: { ...mcpServer('faulty'), startTimeoutMs: 1e11 } } });
    const run = await agentHere(['s', 'u', '--tools', 'tool'], { folder });
    expect([
      run.code,
      run.stderr.includes('mcpServers.tool.startTimeoutMs: must be at most 2147483647'),
    ]).toEqual([4, true]);
  });
});

describe.concurrent('a variable of a tool server that is not set', () => {
  test('is named in a warning', async ({ folder }) => {
    const env = { PLACE: '${NOWHERE}/x', OTHER: '${HOME}' };
    configureReport(folder, { mcpServers: { tool: { ...mcpServer('faulty'), env } } });
    const run = await agentHere(['s', 'u', '--tools', 'tool'], { folder });
    const warnings = run.stderr.split('\n').filter((line) => line.includes('the variable is not set'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('mcpServers.tool.env.PLACE uses ${NOWHERE}');
  });
});

describe.concurrent('a recording', () => {
  test('goes into a pipe, and through a link into its file', async ({ folder }) => {
    configureReport(folder);
    const target = folder.write('target.json', '');
    symlinkSync('target.json', join(folder.path, 'link.json'));
    await aiAgent(['s', 'u', '--record', 'link.json'], { folder });
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({ version: 1 });
    const pipe = join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const [recording] = await Promise.all([
      readFile(pipe, 'utf8'),
      aiAgent(['s', 'u', '--record', 'pipe'], { folder }),
    ]);
    expect(JSON.parse(recording)).toMatchObject({ version: 1 });
    expect(statSync(pipe).isFIFO()).toBe(true);
  });
});

describe.concurrent('the first run in a new home', () => {
  test('prints no warning about a store that does not exist yet', async ({ folder }) => {
    configureReport(folder);
    const run = await agentHere(['s', 'u'], { folder });
    expect([run.code, run.stderr.includes('backed up')]).toEqual([0, false]);
  });
});
