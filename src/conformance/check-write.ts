import { CONFIRM_TOKEN_PREFIX } from '../contract/generated.ts';
import type { Call, ProgramChecker } from './program-checker.ts';

const MAX_TOKEN = 40;

/** Checks the life of a write: no token, dry run, wrong token, confirmation, the same token again. */
export function checkWrite(call: Call, checker: ProgramChecker): void {
  const { argv, command } = call;
  const isDangerous = command.gate === 'dangerous';
  const confirm = (token: string): string[] => [
    ...argv,
    '--confirm',
    token,
    ...(isDangerous ? ['--dangerous'] : []),
  ];
  checker.expectCode('needs a confirmation', argv, 'E_CONFIRMATION_REQUIRED');
  const preview = checker.expectSuccess('has a dry run', [...argv, '--dry-run']);
  const token: unknown = preview?.data?.confirm_token;
  const { changes } = (preview?.data?.preview ?? {}) as { changes?: unknown };
  checker.expect('previews its changes', argv, Array.isArray(changes), 'preview.changes is not an array');
  const isToken =
    typeof token === 'string' && token.startsWith(CONFIRM_TOKEN_PREFIX) && token.length <= MAX_TOKEN;
  checker.expect('issues a token', argv, isToken, `confirm_token is ${JSON.stringify(token)}`);
  if (!isToken) return;
  const again = checker.expectSuccess('has a dry run that changes nothing', [...argv, '--dry-run']);
  const isSame = JSON.stringify(again?.data?.preview) === JSON.stringify(preview?.data?.preview);
  checker.expect('has a dry run that changes nothing', argv, isSame, 'a second dry run has another preview');
  const forged = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  checker.expectCode('rejects a forged token', confirm(forged), 'E_CONFLICT');
  if (isDangerous)
    checker.expectCode('needs --dangerous', [...argv, '--confirm', token], 'E_CONFIRMATION_REQUIRED');
  const answer = checker.expectSuccess('runs with its token', confirm(token));
  if (command.batch !== undefined) checkBatch(call, answer?.data as Batch | undefined, checker);
  checker.expectCode('accepts a token once', confirm(token), 'E_CONFLICT');
}

interface Batch {
  readonly items?: readonly { readonly target?: unknown; readonly ok?: unknown; readonly error?: object }[];
  readonly summary?: Readonly<Record<string, number>>;
}

function checkBatch({ argv, command }: Call, data: Batch | undefined, checker: ProgramChecker): void {
  const items = data?.items ?? [];
  const isShaped = items.every(
    ({ target, ok, error }) =>
      typeof target === 'string' && typeof ok === 'boolean' && (ok || error !== undefined),
  );
  const succeeded = items.filter(({ ok }) => ok === true).length;
  const { summary = {} } = data ?? {};
  const adds =
    summary.succeeded === succeeded &&
    summary.failed === items.length - succeeded &&
    summary.total === items.length + (summary.skipped ?? 0);
  checker.expect(
    'reports each target',
    argv,
    isShaped && items.length > 0,
    'items need target, ok and error',
  );
  checker.expect('has a summary that adds up', argv, adds, `summary is ${JSON.stringify(summary)}`);
  const flag = `--${(command.batch?.targets ?? 'ids').replaceAll('_', '-')}`;
  checker.expectCode(
    'rejects an empty list of targets',
    [...command.path.split(' '), `${flag}=`, '--dry-run'],
    'E_VALIDATION',
  );
}
