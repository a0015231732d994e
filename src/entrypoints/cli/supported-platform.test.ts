import { expect, test } from 'vitest';
import { unsupportedPlatform } from './supported-platform.ts';

test('Windows is rejected with a hint to use WSL', () => {
  expect(unsupportedPlatform('deed', 'win32')).toMatchObject({
    code: 'E_CONFIG',
    message: 'deed does not run on Windows; it runs on Linux, macOS and in WSL.',
    hint: expect.stringContaining('wsl --install'),
    details: { platform: 'win32' },
  });
});

test.each(['linux', 'darwin'])('%s is supported', (platform) => {
  expect(unsupportedPlatform('deed', platform)).toBeUndefined();
});
