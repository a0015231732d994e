import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { tarHeader, writeTar } from '../../scripts/write-tar.ts';
import { publish } from '../../test/fixtures/release-server.ts';
import { createSigstoreAuthority } from '../../test/fixtures/sigstore-authority.ts';
import {
  failure,
  HERE,
  NEW,
  program,
  request,
  useUpdateMachine,
} from '../../test/fixtures/update-machine.ts';
import { runUpdate } from './run-update.ts';
import type { UpdateStage } from './update-run.ts';

const bench = useUpdateMachine();

test('a release that does not verify is rejected, and the message forbids a retry', async () => {
  const forger = await createSigstoreAuthority();
  const cases: [string, UpdateStage, () => void | Promise<void>][] = [
    ['no bundle', 'verify_signature', () => bench.server.remove(NEW.bundle)],
    ['an invalid bundle', 'verify_signature', () => bench.server.put(NEW.bundle, '{}')],
    [
      'another authority',
      'verify_signature',
      async () => bench.server.put(NEW.bundle, await forger.sign(bench.server.read(NEW.checksums), '0.2.0')),
    ],
    [
      'another tag',
      'verify_signature',
      async () =>
        bench.server.put(NEW.bundle, await bench.authority.sign(bench.server.read(NEW.checksums), '0.1.9')),
    ],
    [
      'changed checksums',
      'verify_signature',
      () => bench.server.put(NEW.checksums, `${bench.server.read(NEW.checksums).toString()}\n`),
    ],
    ['another archive', 'verify_checksum', () => bench.server.put(NEW.archive, gzipSync('other'))],
    [
      'another version in the metadata',
      'discover',
      () => bench.server.put(NEW.metadata, '{"version":"0.2.1"}'),
    ],
  ];
  for (const [name, stage, inject] of cases) {
    await bench.machine.publishRelease('0.2.0');
    await inject();
    const fault = await failure(
      runUpdate(request(stage === 'discover' ? '0.2.0' : undefined), bench.machine.context()),
    );
    expect([name, fault.code]).toEqual([name, 'E_INTEGRITY']);
    expect(fault.message).toContain('do NOT retry');
    bench.machine.expectUnchanged(fault, stage);
  }
});

test('a signed archive with an unsafe path or a link is rejected before anything is written', async () => {
  const members = ['deed', 'skills/deed/SKILL.md', '../../evil'].map((path) => ({
    path,
    mode: 0o755,
    content: program('0.2.0'),
  }));
  const link = tarHeader('skills/deed/evil', { mode: 0o777, size: 0, type: '2', link: '/etc/passwd' });
  const end = Buffer.alloc(1024);
  const withLink = Buffer.concat([writeTar(members.slice(0, 2)).subarray(0, -end.length), link, end]);
  for (const archive of [writeTar(members), withLink]) {
    const release = { version: '0.2.0', ...HERE, content: gzipSync(archive) };
    await publish(bench.server, release, bench.authority);
    const fault = await failure(runUpdate(request(), bench.machine.context()));
    expect(fault.code).toBe('E_INTEGRITY');
    bench.machine.expectUnchanged(fault, 'verify_checksum');
  }
});
