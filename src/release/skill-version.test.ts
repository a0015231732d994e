import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseSkillMinVersion } from './skill-version.ts';

const skill = (frontMatter: string): string =>
  `---\n${frontMatter}\n---\n\n# Skill\n\nrequires:\n  min_version: 9.9.9\n`;

test('the minimum version is found in block and flow style, quoted or not', () => {
  const forms = [
    'name: deed\nrequires:\n  min_version: 0.1.0\n',
    'requires:\n    other: 1\n    min_version: "0.1.0" # why',
    "requires: { min_version: '0.1.0' }",
    'requires: {a: 1, min_version: 0.1.0}',
  ];
  expect(forms.map((form) => parseSkillMinVersion(skill(form)))).toEqual(forms.map(() => '0.1.0'));
});

test('a missing or invalid minimum version is undefined', () => {
  const forms = [
    'name: deed',
    'min_version: 0.1.0',
    'requires:\nmetadata:\n  min_version: 0.1.0',
    'requires:\n  min_version: soon',
  ];
  expect(forms.map((form) => parseSkillMinVersion(skill(form)))).toEqual(forms.map(() => undefined));
  expect(parseSkillMinVersion('# no frontmatter\n')).toBeUndefined();
  expect(parseSkillMinVersion('---\r\nrequires:\r\n  min_version: 1.2.3\r\n---\r\n')).toBe('1.2.3');
});

test('the Skill of deed has a minimum version', () => {
  const own = readFileSync(new URL('../../skills/deed/SKILL.md', import.meta.url), 'utf8');
  expect(parseSkillMinVersion(own)).toBe('0.2.0');
});
