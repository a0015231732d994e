import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NEW, program, request, useUpdateMachine } from '../../test/fixtures/update-machine.ts';
import { checkUpdate, previewUpdate } from './check-update.ts';
import { runUpdate } from './run-update.ts';
import { readUpdateNotice } from './update-notice.ts';

const bench = useUpdateMachine();

test('a check caches a notice with its severity, mode 0600, and changes nothing else', async () => {
  const { plan, available, notice } = await checkUpdate(request(), bench.machine.context());
  expect([plan.needed, available]).toEqual([true, { signature: true, checksum: true }]);
  expect(notice).toEqual({
    type: 'update_available',
    severity: 'info',
    current_version: '0.1.0',
    latest_version: '0.2.0',
    install_method: 'standalone',
    recommended_command: 'deed update',
    release_url: `${bench.server.url}/tag/v0.2.0`,
    checked_at: '2026-01-01T00:00:00.000Z',
    next_steps: [
      { action: 'update', command: 'deed update' },
      { action: 'read_changelog', command: 'deed changelog --since 0.1.0' },
    ],
  });
  const cache = join(bench.machine.root, 'home/update-check.json');
  expect(await readUpdateNotice(cache, '0.1.0')).toEqual(notice);
  expect(statSync(cache).mode & 0o777).toBe(0o600);
  expect(bench.machine.installed()).toBe(program('0.1.0').toString());
  await runUpdate(request(), bench.machine.context());
  expect(existsSync(cache)).toBe(false);
});

test('a security entry since the running version, or a new major version, is a warning', async () => {
  const changelog =
    '## [0.2.0]\n### Added\n- More.\n## [0.1.5]\n### Security\n- A hole.\n## [0.1.0]\n### Security\n- An old hole.\n';
  await bench.machine.publishRelease('0.2.0', undefined, changelog);
  expect((await checkUpdate(request(), bench.machine.context())).notice?.severity).toBe('warning');
  expect(
    (await checkUpdate({ runningVersion: '0.1.5', targetVersion: undefined }, bench.machine.context())).notice
      ?.severity,
  ).toBe('info');
  await bench.machine.publishRelease('1.0.0');
  expect((await checkUpdate(request(), bench.machine.context())).notice?.severity).toBe('warning');
});

test('a check reports a missing signature and checksum, and deletes an outdated notice', async () => {
  bench.server.remove(NEW.bundle);
  bench.server.put(NEW.checksums, 'no checksums');
  expect((await checkUpdate(request(), bench.machine.context())).available).toEqual({
    signature: false,
    checksum: false,
  });
  const { notice } = await checkUpdate(
    { runningVersion: '0.2.0', targetVersion: undefined },
    bench.machine.context(),
  );
  expect([notice, existsSync(join(bench.machine.root, 'home/update-check.json'))]).toEqual([
    undefined,
    false,
  ]);
});

test('a preview writes nothing', async () => {
  await previewUpdate(request(), bench.machine.context());
  expect(existsSync(join(bench.machine.root, 'home'))).toBe(false);
  expect(bench.machine.installed()).toBe(program('0.1.0').toString());
});
