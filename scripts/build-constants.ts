import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseChangelog } from '../src/release/parse-changelog.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The build constants of the source: see src/app/build.ts, src/app/build-changelog.ts and src/release/release-trust.ts. */
export function buildConstants(
  overrides: Readonly<Record<string, string>> = {},
  libc?: 'musl',
): Record<string, string> {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string };
  const changelog = parseChangelog(readFileSync(`${ROOT}CHANGELOG.md`, 'utf8'));
  return {
    __DEED_BUILD__: JSON.stringify({ version, libc }),
    __DEED_CHANGELOG__: JSON.stringify(changelog),
    ...overrides,
  };
}
