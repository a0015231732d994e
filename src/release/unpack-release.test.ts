import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { writeTar } from '../../scripts/write-tar.ts';
import { unpackRelease } from './unpack-release.ts';

const member = (
  path: string,
  content: string,
  mode = 0o644,
): { path: string; mode: number; content: Buffer } => ({
  path,
  mode,
  content: Buffer.from(content),
});
const DEED = member('deed', 'program', 0o755);
const SKILL = member('skills/deed/SKILL.md', 'skill');

test('the executable and the Skill are unpacked, other files are ignored', async () => {
  const archive = gzipSync(
    writeTar([
      DEED,
      SKILL,
      member('skills/deed/parts/more.md', 'more'),
      member('LICENSE', 'words'),
      member('skills/other/SKILL.md', 'no'),
    ]),
  );
  expect(await unpackRelease(archive, 'a.tar.gz')).toEqual({
    executable: Buffer.from('program'),
    skill: [
      { path: 'SKILL.md', executable: false, content: Buffer.from('skill') },
      { path: 'parts/more.md', executable: false, content: Buffer.from('more') },
    ],
  });
});

test('an archive that lacks the executable or the Skill is rejected', async () => {
  for (const members of [[SKILL], [DEED], [member('deed', ''), SKILL], []]) {
    await expect(unpackRelease(gzipSync(writeTar(members)), 'a.tar.gz')).rejects.toMatchObject({
      code: 'E_INTEGRITY',
    });
  }
});

test('anything but a gzip of a plain tar is rejected', async () => {
  const cut = gzipSync(writeTar([DEED, SKILL]));
  for (const bytes of [
    Buffer.from('no gzip'),
    cut.subarray(0, 80),
    gzipSync(Buffer.from('no tar')),
    gzipSync(writeTar([DEED, SKILL, member('../x', '')])),
  ]) {
    await expect(unpackRelease(bytes, 'a.tar.gz')).rejects.toMatchObject({
      code: 'E_INTEGRITY',
      details: { archive: 'a.tar.gz' },
    });
  }
});

test('a small archive that unpacks to more than the limit is rejected', async () => {
  const bomb = gzipSync(writeTar([DEED, SKILL, member('big', '0'.repeat(1_000_000))]));
  const limits = { bytes: 500_000, files: 10, pathBytes: 255 };
  await expect(unpackRelease(bomb, 'a.tar.gz', limits)).rejects.toMatchObject({ code: 'E_INTEGRITY' });
});
