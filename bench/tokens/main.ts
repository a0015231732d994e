/** Counts the tokens of the standard session over each interface and prints them. Needs the build. Exits 1 when a bound is exceeded. */
import { playSessions } from './play-session.ts';

for (const { name, total, bound, preparation, steps } of await playSessions()) {
  const rows = Object.entries({ preparation, ...steps });
  console.log(`${name}: ${total} tokens, bound ${bound}${total > bound ? ' EXCEEDED' : ''}`);
  for (const [name, tokens] of rows) console.log(`  ${name.padEnd(12)} ${String(tokens).padStart(6)}`);
  if (total > bound) process.exitCode = 1;
}
