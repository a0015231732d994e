import type { EarlySignals } from '../entrypoints/cli/early-signals.ts';
import { catchSignals } from './catch-signals.ts';
import { takeProgramName, type ProgramName } from './program-name.ts';

/** One executable with four names; only the entrypoint of the started program is loaded. */
const ENTRYPOINTS: Readonly<Record<ProgramName, () => Promise<(signals: EarlySignals) => Promise<void>>>> = {
  deed: async () => (await import('../entrypoints/cli/deed.ts')).runDeed,
  vybe: async () => (await import('../entrypoints/cli/vybe.ts')).runVybe,
  pt: async () => (await import('../entrypoints/cli/pt.ts')).runPt,
  'ai-agent': async () => (await import('../entrypoints/cli/ai-agent.ts')).runAiAgent,
};

const signals = catchSignals();

// Loading is awaited, because Bun exits a program that only waits for its first chunk. Running is not: Bun waits forever for a
// promise that is awaited here, so a command that stops without an answer would hang.
// In a compiled executable argv[0] is the runtime; argv0 is the name that the caller used.
const run = await ENTRYPOINTS[takeProgramName(process.argv0, process.env)]();
void run(signals);
