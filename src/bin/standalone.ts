import { runDeed } from '../heads/cli/deed.ts';
import { runNotBuilt } from '../heads/cli/not-built.ts';
import { runPt } from '../heads/cli/pt.ts';
import { runVybe } from '../heads/cli/vybe.ts';

// One executable under four names. In a compiled program argv[0] is the runtime; argv0 is what was typed.
const name = process.argv0.replace(/^.*\//u, '');
const runners: Readonly<Record<string, () => Promise<void>>> = { vybe: runVybe, pt: runPt };

if (name === 'ai-agent') runNotBuilt(name);
// Awaited, because Bun ends a program that only waits for a chunk to load.
else await (runners[name] ?? runDeed)();
