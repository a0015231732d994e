import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStore, type TemporaryStore } from '../../../test/fixtures/temporary-store.ts';
import { readEvents } from '../events/event.ts';
import { addHooks } from './settings-hooks.ts';
import { handleHook } from './handle-hook.ts';
import { applyHookChange } from './hook-files.ts';
import { planOldPluginRemoval } from './old-opencode-files.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

const hookOf = (handler: string) => ({
  matcher: '',
  hooks: [{ type: 'command', command: `"/opt/my tools/vybe" hook ${handler}`, timeout: 2000 }],
});

it('an install replaces all hooks of the Go program in the settings of Claude Code', () => {
  const foreign = { hooks: [{ type: 'command', command: 'echo done' }] };
  const settings = {
    hooks: {
      Stop: [hookOf('stop'), foreign],
      SubagentStart: [hookOf('subagent-start')],
      SubagentStop: [hookOf('subagent-stop')],
      SessionStart: [hookOf('session-start')],
    },
  };
  const { hooks } = addHooks(settings, 'claude', '/usr/bin/vybe') as { hooks: Record<string, unknown[]> };
  expect(JSON.stringify(hooks)).not.toContain('my tools');
  expect([hooks.SubagentStart, hooks.SubagentStop]).toEqual([undefined, undefined]);
  expect(hooks.Stop).toEqual([foreign, expect.anything()]);
  expect(hooks.SessionStart).toHaveLength(1);
});

it('the plugins of the Go program are removed from OpenCode, and other plugins stay', () => {
  const folder = join(store.folder, 'opencode');
  const configuration = join(folder, 'opencode.json');
  mkdirSync(join(folder, 'plugins'), { recursive: true });
  for (const name of ['vybe-bridge.js', 'opencode-vybe-bridge.ts', 'mine.js'])
    writeFileSync(join(folder, 'plugins', name), '// plugin');
  writeFileSync(
    configuration,
    JSON.stringify({ theme: 'dark', plugin: ['./plugins/opencode-vybe-bridge.ts', 'mine'] }),
  );
  const location = {
    userHome: store.folder,
    cwd: store.folder,
    env: { XDG_CONFIG_HOME: store.folder },
    project: false,
  };
  for (const change of planOldPluginRemoval(location)) applyHookChange(change);
  expect(existsSync(join(folder, 'plugins/vybe-bridge.js'))).toBe(false);
  expect(existsSync(join(folder, 'plugins/opencode-vybe-bridge.ts'))).toBe(false);
  expect(existsSync(join(folder, 'plugins/mine.js'))).toBe(true);
  expect(JSON.parse(readFileSync(configuration, 'utf8'))).toEqual({ theme: 'dark', plugin: ['mine'] });
  expect(planOldPluginRemoval(location)).toEqual([]);
  writeFileSync(configuration, '// comment\n{"plugin": ["./plugins/vybe-bridge.js"]}');
  expect(planOldPluginRemoval(location)).toEqual([]);
});

it('the handlers that only the Go program installed still answer', async () => {
  const input = { session_id: 's1', cwd: '/app', agent_type: 'Explore' };
  for (const event of ['stop', 'subagent-start', 'subagent-stop'] as const)
    expect(await handleHook(store.database, { event, input, agent: 'claude' }, store.ports)).toBe('');
  const events = await readEvents(store.database, { ascending: true, includeArchived: false, limit: 10 });
  expect(events.map(({ message }) => message)).toEqual([
    'Subagent started: Explore',
    'Subagent finished: Explore',
  ]);
});
