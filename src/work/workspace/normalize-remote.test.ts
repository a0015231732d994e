import { expect, it } from 'vitest';
import { normalizeRemote } from './normalize-remote.ts';

it('gives all addresses of one repository the same name, without credentials', () => {
  for (const url of [
    'git@GitHub.com:acme/app.git',
    'ssh://git@github.com:22/acme/app.git',
    'https://github.com/acme/app',
    'https://user:secret@github.com/acme/app.git/',
    'github.com:acme/app.git',
  ])
    expect(normalizeRemote(url), url).toBe('github.com/acme/app');
});

it('names a repository on this machine by its path', () => {
  for (const url of ['/srv/git/app.git', '/srv/git/app', 'file:///srv/git/app.git'])
    expect(normalizeRemote(url), url).toBe('/srv/git/app');
});
