import { runDeed } from '../heads/cli/deed.ts';
import { runNotBuilt } from '../heads/cli/not-built.ts';
import { runVybe } from '../heads/cli/vybe.ts';

// One executable under four names. In a compiled program argv[0] is the runtime; argv0 is what was typed.
const name = process.argv0.replace(/^.*\//u, '');

if (name === 'vybe') void runVybe();
else if (name === 'pt' || name === 'ai-agent') runNotBuilt(name);
else void runDeed();
