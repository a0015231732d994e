import type { EarlySignals } from '../entrypoints/cli/early-signals.ts';
import { catchSignals } from './catch-signals.ts';
import type { ProgramName } from '../system/program-names.ts';
import { takeProgramName } from './program-name.ts';

/** One executable with four names; only the entrypoint of the started program is loaded. */
const ENTRYPOINTS: Readonly<Record<ProgramName, () => Promise<(signals: EarlySignals) => Promise<void>>>> = {
  deed: async () => (await import('../entrypoints/cli/deed.ts')).runDeed,
  vybe: async () => (await import('../entrypoints/cli/vybe.ts')).runVybe,
  pt: async () => (await import('../entrypoints/cli/pt.ts')).runPt,
  'ai-agent': async () => (await import('../entrypoints/cli/ai-agent.ts')).runAiAgent,
};

const signals = catchSignals();

// The import is awaited, because Bun exits while its first chunk is pending. The run is not awaited: Bun waits indefinitely for a
// top-level promise, so a command that never settles would hang.
// In a compiled executable argv[0] is the runtime; argv0 is the name that the caller used.
const run = await ENTRYPOINTS[takeProgramName(process.argv0, process.env)]();
void run(signals);
