import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore, type TemporaryStore } from '../../../test/fixtures/temporary-store.ts';
import { listExpired } from '../database/queries/memories.ts';
import { readEvents } from '../events/event.ts';
import { checkScope } from '../memory/memory.ts';
import { setMemory } from '../memory/write-memory.ts';
import { createTask } from '../tasks/write-task.ts';
import { requireTask } from '../tasks/task.ts';
import { addHooks, hasHooks, removeHooks } from './settings-hooks.ts';
import { handleHook, type HookEvent } from './handle-hook.ts';
import { parseHookInput } from './hook-input.ts';
import { applyHookChange, isInstalled, planInstall, planUninstall } from './hook-files.ts';

const FOREIGN = {
  model: 'opus',
  hooks: {
    SessionStart: [{ matcher: 'startup', hooks: [{ type: 'command', command: 'echo hi' }] }],
    Stop: [{ hooks: [{ type: 'command', command: 'notify --vybe hook', timeout: 5 }] }],
  },
};

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

describe('settings of Claude Code', () => {
  it('keep all other entries through install and uninstall', () => {
    const installed = addHooks(FOREIGN, 'claude', '/opt/vybe');
    expect(hasHooks(installed)).toBe(true);
    expect(removeHooks(installed)).toEqual(FOREIGN);
    expect(removeHooks(FOREIGN)).toEqual(FOREIGN);
    expect(removeHooks(addHooks({}, 'claude', 'vybe'))).toEqual({});
  });

  it('contain each hook once after repeated installs from different paths', () => {
    const twice = addHooks(addHooks(FOREIGN, 'claude', '/old/vybe'), 'claude', '"/new place/vybe.cjs"');
    expect(JSON.stringify(twice).match(/hook session-start/gu)).toHaveLength(1);
    expect(removeHooks(twice)).toEqual(FOREIGN);
  });

  it('with an invalid structure are rejected', () => {
    expect(() => addHooks({ hooks: [] }, 'claude', 'vybe')).toThrow('not an object');
    expect(() => addHooks({ hooks: { SessionStart: {} } }, 'claude', 'vybe')).toThrow('not an array');
  });
});

describe('hook files', () => {
  it('are replaced with a backup, through symbolic links, and keep their mode', () => {
    const home = store.folder;
    mkdirSync(join(home, '.claude'));
    const text = JSON.stringify(FOREIGN, null, 4);
    writeFileSync(join(home, 'dotfile.json'), text, { mode: 0o640 });
    symlinkSync('../dotfile.json', join(home, '.claude/settings.json'));
    const location = { userHome: home, cwd: home, env: {}, project: false };
    applyHookChange(planInstall('claude', location, ['/opt/vybe']));
    expect(isInstalled('claude', location)).toBe(true);
    expect(lstatSync(join(home, '.claude/settings.json')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(home, 'dotfile.json')).mode & 0o777).toBe(0o640);
    expect(readFileSync(join(home, 'dotfile.json.vybe-backup'), 'utf8')).toBe(text);
    const again = planInstall('claude', location, ['/opt/vybe']);
    expect(again.after).toBe(again.before);
    applyHookChange(planUninstall('claude', location));
    expect(JSON.parse(readFileSync(join(home, 'dotfile.json'), 'utf8'))).toEqual(FOREIGN);
    expect(readFileSync(join(home, 'dotfile.json'), 'utf8')).toContain('\n    "model"');
  });

  it('are not installed through a link that points outside the project', () => {
    const [project, outside] = [join(store.folder, 'project'), join(store.folder, 'outside')];
    for (const folder of [project, outside]) mkdirSync(folder);
    symlinkSync('../outside', join(project, '.claude'));
    const location = { userHome: store.folder, cwd: project, env: {}, project: true };
    expect(() => planInstall('claude', location, ['vybe'])).toThrow('points outside the project');
    expect(() => planInstall('opencode', location, ['vybe'])).not.toThrow();
  });

  it('of OpenCode are a plugin, and a plugin of another origin is not changed', () => {
    const location = { userHome: store.folder, cwd: store.folder, env: {}, project: true };
    applyHookChange(planInstall('opencode', location, ['/opt/vybe']));
    expect(isInstalled('opencode', location)).toBe(true);
    applyHookChange(planUninstall('opencode', location));
    expect(isInstalled('opencode', location)).toBe(false);
    writeFileSync(join(store.folder, '.opencode/plugin/vybe.js'), 'export default {}');
    expect(() => planInstall('opencode', location, ['/opt/vybe'])).toThrow('was not installed by vybe');
    expect(planUninstall('opencode', location).after).toBe('export default {}');
  });

  it('are in the folder that the host reads, and quote the path of the program', () => {
    const env = {
      CLAUDE_CONFIG_DIR: join(store.folder, 'claude dir'),
      XDG_CONFIG_HOME: join(store.folder, 'xdg'),
    };
    const location = { userHome: store.folder, cwd: store.folder, env, project: false };
    const program = ['/opt/node', "/opt/it's $HOME/vybe.cjs"];
    const claude = planInstall('claude', location, program);
    expect(claude.path).toBe(join(store.folder, 'claude dir/settings.json'));
    expect(planInstall('opencode', location, program).path).toBe(
      join(store.folder, 'xdg/opencode/plugin/vybe.js'),
    );
    const { hooks } = JSON.parse(claude.after ?? '') as {
      hooks: { SessionStart: { hooks: { command: string }[] }[] };
    };
    const command = hooks.SessionStart[0]?.hooks[0]?.command ?? '';
    const words = spawnSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' }).stdout;
    expect(words.trim().split('\n')).toEqual([...program, 'hook', 'session-start']);
    applyHookChange(claude);
    applyHookChange(planUninstall('claude', location));
    expect(isInstalled('claude', location)).toBe(false);
  });

  it('with invalid JSON are not changed', () => {
    mkdirSync(join(store.folder, '.claude'));
    writeFileSync(join(store.folder, '.claude/settings.json'), '{broken');
    const location = { userHome: store.folder, cwd: store.folder, env: {}, project: false };
    expect(() => planInstall('claude', location, ['vybe'])).toThrow('is not a JSON object');
  });
});

describe('a handler', () => {
  const handle = (event: HookEvent, input: Record<string, unknown>): Promise<string> =>
    handleHook(
      store.database,
      { event, input: { session_id: 's1', cwd: '/app', ...input }, agent: 'claude-app' },
      store.ports,
    );
  const events = (): ReturnType<typeof readEvents> =>
    readEvents(store.database, { ascending: true, includeArchived: true, limit: 100 });

  it('deletes at the end of a session only data written since the given time', async () => {
    const remember = (key: string): Promise<unknown> =>
      store.as('a', (scope) =>
        setMemory(scope, {
          ...checkScope('global', undefined),
          key,
          value: 'x',
          valueType: 'string',
          pinned: undefined,
          expiresAt: new Date(store.ports.now() + 1000).toISOString(),
        }),
      );
    await remember('old');
    store.wait(10_000);
    const deletableSince = store.at();
    await remember('new');
    store.wait(10_000);
    const end = { event: 'session-end', input: { session_id: 's1' }, agent: 'claude-app' } as const;
    await handleHook(store.database, { ...end, deletableSince }, store.ports);
    const left = async (): Promise<string[]> =>
      (await store.database.all(listExpired, { at: '9999', since: '', limit: 10 })).map(({ key }) => key);
    expect(await left()).toEqual(['old']);
    await handleHook(store.database, end, store.ports);
    expect(await left()).toEqual([]);
  });

  it('returns the brief at the start of a session, in the format of the host', async () => {
    await store.as('a', (scope) =>
      createTask(scope, { title: 'Continue', description: '', projectId: '/app', priority: 0 }),
    );
    const answer = JSON.parse(await handle('session-start', {})) as {
      hookSpecificOutput: { hookEventName: string; additionalContext: string };
    };
    expect(answer.hookSpecificOutput.hookEventName).toBe('SessionStart');
    expect(answer.hookSpecificOutput.additionalContext).toContain('Continue');
  });

  it('records prompts and tools, redacted and limited in size', async () => {
    await handle('prompt', { prompt: `use ghp_${'4fK9'.repeat(9)} ${'x'.repeat(9000)} \uD800` });
    await handle('tool-success', { tool_name: 'Bash', tool_input: { command: 'ls', password: 'hunter2' } });
    await handle('tool-failure', { tool_name: 'Bash', error: 'exit 1', tool_input: 'odd' });
    const recorded = await events();
    expect(recorded.map(({ kind }) => kind)).toEqual(['user_prompt', 'tool_success', 'tool_failure']);
    expect(recorded[0]?.message.length).toBeLessThan(4100);
    expect(JSON.stringify(recorded)).not.toMatch(/ghp_|hunter2/u);
    expect(recorded.every(({ project_id }) => project_id === '/app')).toBe(true);
  });

  it('records the last message of a turn, redacted and limited in size, and nothing for a turn without one', async () => {
    await handle('stop', {
      last_assistant_message: `Use ghp_${'4fK9'.repeat(9)}. ${'x'.repeat(9000)} Next step: the docs.`,
    });
    await handle('stop', { last_assistant_message: '  ' });
    await handle('stop', {});
    const [message, ...others] = await events();
    expect(others).toEqual([]);
    expect(message).toMatchObject({ kind: 'agent_message', project_id: '/app' });
    expect(message?.message).toMatch(/ Next step: the docs\.$/u);
    expect(message?.message).not.toContain('ghp_');
    expect(message?.message.length).toBeLessThan(3100);
  });

  it('records a command as failed if its output reports a failure, although a pipe hides the exit status', async () => {
    const token = `ghp_${'4fK9'.repeat(9)}`;
    const stdout = `${'collected 3 items\n'.repeat(500)}FAILED a.py::test_b - assert '${token}' == 2\n1 failed in 0.1s`;
    const run = (command: string): Promise<string> =>
      handle('tool-success', {
        tool_name: 'Bash',
        tool_input: { command },
        tool_response: { stdout, stderr: '' },
      });
    await run('pytest | tail -300');
    await run('cat old.log');
    const recorded = await events();
    expect(recorded.map(({ kind }) => kind)).toEqual(['tool_failure', 'tool_success']);
    expect(recorded[0]?.message).toMatch(/^Bash: FAILED a\.py::test_b - assert .*\n1 failed in 0\.1s$/u);
    expect(recorded[0]?.metadata.command).toBe('pytest | tail -300');
    expect(JSON.stringify(recorded)).not.toContain('ghp_');
  });

  it('deletes expired data at checkpoints and session ends, and completes the task that the host names', async () => {
    const { row } = await store.as('a', (scope) =>
      createTask(scope, { title: 'one', description: '', projectId: null, priority: 0 }),
    );
    await handle('checkpoint', { trigger: 'auto' });
    await handle('session-end', { reason: 'exit' });
    await handle('task-completed', { task_id: row.id, task_subject: 'it is done' });
    await handle('task-completed', { task_id: 'unknown' });
    expect((await requireTask(store.database, row.id)).status).toBe('completed');
    expect((await events()).map(({ kind }) => kind)).toEqual([
      'task_created',
      'memory_gc',
      'checkpoint',
      'memory_gc',
      'session_end',
      'task_status',
      'task_closed',
      'host_task_completed',
    ]);
  });

  it('rejects input that is not a JSON object', () => {
    expect(parseHookInput('')).toEqual({});
    expect(() => parseHookInput('[1]')).toThrow('is not a JSON object');
    expect(() => parseHookInput('{')).toThrow('is not a JSON object');
  });
});
