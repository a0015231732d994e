declare const Bun: { readonly unsafe: { readonly setJITPolicy: (scale: number) => void } };

/** One executable under four names; only the entrypoint that was called is loaded. */
const ENTRYPOINTS: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  deed: async () => (await import('../entrypoints/cli/deed.ts')).runDeed,
  vybe: async () => (await import('../entrypoints/cli/vybe.ts')).runVybe,
  pt: async () => (await import('../entrypoints/cli/pt.ts')).runPt,
  'ai-agent': async () => (await import('../entrypoints/cli/ai-agent.ts')).runAiAgent,
};

// In a compiled program argv[0] is the runtime; argv0 is what was typed.
const name = process.argv0.slice(process.argv0.lastIndexOf('/') + 1);

// The program is built to compile nothing in a short call. What takes longer than one is worth the usual effort.
setTimeout(() => Bun.unsafe.setJITPolicy(1), 500).unref();

// Loading is awaited, because Bun ends a program that only waits for its first chunk. Running is not: Bun never gives up on
// what is awaited here, so a command that stops without an answer would hang.
// A link may have any name, that of a member which every object has included.
const run = await ENTRYPOINTS[Object.hasOwn(ENTRYPOINTS, name) ? name : 'deed']?.();
void run?.();
