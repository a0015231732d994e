import { expect, test } from 'vitest';
import { unsupportedPlatform } from './supported-platform.ts';

test('Windows is refused with the way to WSL', () => {
  expect(unsupportedPlatform('deed', 'win32')).toMatchObject({
    code: 'E_CONFIG',
    message: 'deed does not run on Windows itself; it runs in WSL, on Linux and on macOS.',
    hint: expect.stringContaining('wsl --install'),
    details: { platform: 'win32' },
  });
});

test.each(['linux', 'darwin'])('%s is supported', (platform) => {
  expect(unsupportedPlatform('deed', platform)).toBeUndefined();
});
