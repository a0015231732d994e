/** The contract as checks that run over any program: `checkProgram` makes its calls and returns what it found. */
export { checkProgram, type ConformanceCalls, type ConformanceReport } from './check-program.ts';
export type { Finding } from './program-checker.ts';
export type { Program } from './run-program.ts';
