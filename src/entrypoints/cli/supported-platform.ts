import { Fault } from '../../base/fault.ts';

/** The fault for an unsupported platform; undefined on a supported one. */
export function unsupportedPlatform(name: string, platform: string): Fault | undefined {
  if (platform !== 'win32') return undefined;
  return new Fault('E_CONFIG', `${name} does not run on Windows; it runs on Linux, macOS and in WSL.`, {
    hint: `Install WSL with "wsl --install", then install and run ${name} inside it.`,
    details: { platform, supported: ['linux', 'darwin'] },
  });
}
