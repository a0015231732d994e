import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSkillFiles } from './skill-files.ts';
import { locateSkillFolders, syncSkill } from './sync-skill.ts';
import type { SkillFile } from './unpack-release.ts';

let home = '';
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'deed-skill-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const FILES: SkillFile[] = [
  { path: 'SKILL.md', executable: false, content: Buffer.from('new') },
  { path: 'parts/run.sh', executable: true, content: Buffer.from('#!/bin/sh\n') },
];
const context = (signal = new AbortController().signal) => ({
  userHome: home,
  env: {},
  skillFolders: [] as string[],
  signal,
});
const at = (...path: string[]): string => join(home, ...path);

function put(path: string, content: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}

test('the new Skill replaces the old one and leaves other skills alone', async () => {
  put('.agents/skills/deed/SKILL.md', 'old');
  put('.agents/skills/deed/gone.md', 'old');
  put('.agents/skills/other/SKILL.md', 'mine');
  expect(await syncSkill(FILES, context())).toEqual([at('.agents/skills/deed')]);
  expect(readSkillFiles(at('.agents/skills/deed'))).toEqual(FILES);
  expect(readFileSync(at('.agents/skills/other/SKILL.md'), 'utf8')).toBe('mine');
  expect(readdirSync(at('.agents/skills')).sort()).toEqual(['deed', 'other']);
});

test('Claude Code gets a link to the canonical folder if it is installed', async () => {
  mkdirSync(at('.claude'));
  expect(await syncSkill(FILES, context())).toEqual([at('.agents/skills/deed'), at('.claude/skills/deed')]);
  expect(readlinkSync(at('.claude/skills/deed'))).toBe('../../.agents/skills/deed');
  expect(readFileSync(at('.claude/skills/deed/SKILL.md'), 'utf8')).toBe('new');
});

test('nothing is created for Claude Code if it is not installed', async () => {
  await syncSkill(FILES, context());
  expect(existsSync(at('.claude'))).toBe(false);
});

test('a copied Skill of Claude Code becomes a link, without leftover files', async () => {
  put('.claude/skills/deed/SKILL.md', 'old copy');
  put('.claude/skills/mine/SKILL.md', 'mine');
  await syncSkill(FILES, context());
  expect(lstatSync(at('.claude/skills/deed')).isSymbolicLink()).toBe(true);
  expect(readdirSync(at('.claude/skills')).sort()).toEqual(['deed', 'mine']);
});

test('a skill folder of Claude Code that is itself a link contains the same Skill', async () => {
  mkdirSync(at('.agents/skills'), { recursive: true });
  mkdirSync(at('.claude'));
  symlinkSync('../.agents/skills', at('.claude/skills'));
  await syncSkill(FILES, context());
  expect(statSync(at('.agents/skills/deed')).isDirectory()).toBe(true);
  expect(readFileSync(at('.claude/skills/deed/SKILL.md'), 'utf8')).toBe('new');
});

test('a Skill folder that is a link is replaced, and its target is not changed', async () => {
  put('checkout/SKILL.md', 'work in progress');
  mkdirSync(at('.agents/skills'), { recursive: true });
  symlinkSync(at('checkout'), at('.agents/skills/deed'));
  await syncSkill(FILES, context());
  expect(lstatSync(at('.agents/skills/deed')).isSymbolicLink()).toBe(false);
  expect(readFileSync(at('checkout/SKILL.md'), 'utf8')).toBe('work in progress');
});

test('an abort leaves the old Skill unchanged', async () => {
  put('.agents/skills/deed/SKILL.md', 'old');
  await expect(syncSkill(FILES, context(AbortSignal.abort()))).rejects.toMatchObject({
    code: 'E_INTERRUPTED',
  });
  expect(readSkillFiles(at('.agents/skills/deed'))).toEqual([
    { path: 'SKILL.md', executable: false, content: Buffer.from('old') },
  ]);
  expect(readdirSync(at('.agents/skills'))).toEqual(['deed']);
});

test('a folder that cannot be created is E_IO', async () => {
  put('.agents', 'a file in the way');
  await expect(syncSkill(FILES, context())).rejects.toMatchObject({
    code: 'E_IO',
    details: { path: at('.agents/skills/deed') },
  });
});

test('files of a killed sync are removed by the next sync', async () => {
  put(`.agents/skills/.deed-4999999-${'a'.repeat(32)}.old/SKILL.md`, 'stale');
  put(`.agents/skills/.deed-4999999-${'b'.repeat(32)}.new/SKILL.md`, 'half');
  await syncSkill(FILES, context());
  expect(readdirSync(at('.agents/skills'))).toEqual(['deed']);
});

test('the folder of Claude Code follows its environment variable', () => {
  mkdirSync(at('elsewhere'));
  const env = { CLAUDE_CONFIG_DIR: at('elsewhere') };
  expect(locateSkillFolders({ userHome: home, env, skillFolders: [] }).linked).toEqual([
    at('elsewhere/skills/deed'),
  ]);
});

test('folders from the settings are linked too', async () => {
  await syncSkill(FILES, {
    ...context(),
    skillFolders: ['~/.cursor/skills', at('other/skills'), '~/.agents/skills'],
  });
  expect(readlinkSync(at('.cursor/skills/deed'))).toBe('../../.agents/skills/deed');
  expect(readFileSync(at('other/skills/deed/SKILL.md'), 'utf8')).toBe('new');
  expect(lstatSync(at('.agents/skills/deed')).isSymbolicLink()).toBe(false);
});
