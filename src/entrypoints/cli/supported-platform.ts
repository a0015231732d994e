import { Fault } from '../../base/fault.ts';

/** What to answer on a platform that nothing is promised for; nothing where the program can run. */
export function unsupportedPlatform(name: string, platform: string): Fault | undefined {
  if (platform !== 'win32') return undefined;
  return new Fault(
    'E_CONFIG',
    `${name} does not run on Windows itself; it runs in WSL, on Linux and on macOS.`,
    {
      hint: `Install WSL with "wsl --install", then install and run ${name} inside it.`,
      details: { platform, supported: ['linux', 'darwin'] },
    },
  );
}
