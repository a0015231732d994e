import { expect, test } from 'vitest';
import { latestMetadataUrl, parseReleaseUrl, releaseUrls } from './release-source.ts';

test('URLs follow the layout of GitHub releases', () => {
  const base = parseReleaseUrl('https://github.com/deed-cli/deed/releases/');
  expect(latestMetadataUrl(base)).toBe(
    'https://github.com/deed-cli/deed/releases/latest/download/release.json',
  );
  expect(releaseUrls(base, '1.2.0', 'deed-1.2.0-linux-x64.tar.gz')).toEqual({
    page: 'https://github.com/deed-cli/deed/releases/tag/v1.2.0',
    metadata: 'https://github.com/deed-cli/deed/releases/download/v1.2.0/release.json',
    checksums: 'https://github.com/deed-cli/deed/releases/download/v1.2.0/checksums.txt',
    bundle: 'https://github.com/deed-cli/deed/releases/download/v1.2.0/checksums.txt.sigstore.json',
    archive: 'https://github.com/deed-cli/deed/releases/download/v1.2.0/deed-1.2.0-linux-x64.tar.gz',
  });
});

test('only https and loopback URLs are allowed', () => {
  for (const url of [
    'https://example.com/r',
    'http://127.0.0.1:8080/r',
    'http://localhost/r',
    'http://[::1]:1/r',
  ]) {
    expect(parseReleaseUrl(url)).toBe(url);
  }
  const rejected = [
    'http://example.com/r',
    'http://127.0.0.1.example.com/r',
    'http://localhost.example.com/r',
    'file:///r',
    'ftp://example.com',
    'r',
    '',
    'https://user:secret@example.com/r',
    'https://example.com/r?token=1',
    'https://example.com/r#x',
  ];
  for (const url of rejected) expect(() => parseReleaseUrl(url), url).toThrow(/Invalid release URL/u);
});
