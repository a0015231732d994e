import { runAiAgent } from '../heads/cli/ai-agent.ts';
import { runDeed } from '../heads/cli/deed.ts';
import { runNotBuilt } from '../heads/cli/not-built.ts';
import { runVybe } from '../heads/cli/vybe.ts';

// One executable under four names. In a compiled program argv[0] is the runtime; argv0 is what was typed.
const name = process.argv0.replace(/^.*\//u, '');

if (name === 'pt') runNotBuilt(name);
// Awaited, because Bun ends a program that only waits for a chunk to load.
else if (name === 'ai-agent') await runAiAgent();
else await (name === 'vybe' ? runVybe() : runDeed());
