import { writeSync } from 'node:fs';

/**
 * Imported first by every executable: an older Node gets a clear answer instead of a syntax error. It must not need anything
 * newer itself.
 */
const NEEDED = 24;
const major = Number(process.versions.node.split('.')[0]);

if (major < NEEDED) {
  const name = (process.argv[1] ?? 'deed').replace(/^.*\//u, '').replace(/\.c?js$/u, '');
  const message = `${name} needs Node ${NEEDED} or newer; this is Node ${process.versions.node}.`;
  const details = {
    required: `>=${NEEDED}`,
    found: process.versions.node,
    hint: 'Install Node 24, or use the standalone executable.',
  };
  const answers: Record<string, { out: unknown; exit: number }> = {
    vybe: { out: { schema_version: 'v1', success: false, error: message, error_code: 'E_CONFIG' }, exit: 1 },
    pt: {
      out: { schema_version: '1.0.0', error: { code: 'INTERNAL_ERROR', message, recoverable: false } },
      exit: 10,
    },
    'ai-agent': { out: undefined, exit: 4 },
  };
  const answer = answers[name] ?? {
    out: {
      ok: false,
      schema_version: '1.0',
      error: { code: 'E_CONFIG', message, details, retryable: false },
      meta: { duration_ms: 0 },
    },
    exit: 4,
  };
  if (answer.out === undefined) writeSync(2, `${message}\n`);
  else writeSync(1, `${JSON.stringify(answer.out)}\n`);
  process.exit(answer.exit);
}
