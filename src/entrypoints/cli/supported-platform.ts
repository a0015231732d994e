import { Fault } from '../../base/fault.ts';
import { windowsProblem } from '../../system/windows-problem.ts';

/** The fault for an unsupported platform; undefined on a supported one. */
export function unsupportedPlatform(name: string, platform: string): Fault | undefined {
  if (platform !== 'win32') return undefined;
  const { message, hint } = windowsProblem(name);
  return new Fault('E_CONFIG', message, { hint, details: { platform, supported: ['linux', 'darwin'] } });
}
