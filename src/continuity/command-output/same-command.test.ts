import { expect, it } from 'vitest';
import { isSearch, splitCommandLine } from './command-words.ts';
import { commandKey, includesCommand } from './same-command.ts';

it('a command line is split at its operators, without quotes and redirections', () => {
  const line = `cd "my app" && A=1 B='x y' pytest -k "a or b" 2>&1 | tail -5 > out.txt; echo done`;
  expect(
    splitCommandLine(line).map(({ operator, assignments, words }) => [operator, assignments, words]),
  ).toEqual([
    ['', [], ['cd', 'my app']],
    ['&&', ['A=1', 'B=x y'], ['pytest', '-k', 'a or b']],
    ['|', [], ['tail', '-5']],
    [';', [], ['echo', 'done']],
  ]);
});

it.each([
  ['pytest tests/a', 'pytest tests/a 2>&1 | tail -40'],
  ['pytest -x -q tests/a', 'pytest tests/a || true'],
  ['pytest', 'pytest tests/a'],
  ['uv run pytest -q', 'python -m pytest tests/a.py::test_b'],
  ['pytest tests', 'pytest tests/a.py::test_b -x'],
  ['go test -race ./...', 'go test ./internal/queue'],
  ['npm test', 'npm test -- date-parser'],
  ['cd web && npx jest', 'npx jest src/a.test.ts | tail'],
  ['cargo test', 'cargo test keeps_comments'],
  ['npm test -w packages/web', 'npm test -w packages/web -- Filter | tail'],
  ['npm run build', 'npm run build 2>&1 | tail -5'],
  ['npx tsc --noEmit -p . && npx vitest run', 'npx tsc --noEmit -p .'],
])('the success of %s ends the failure of %s', (succeeded, failed) => {
  expect(includesCommand(succeeded, failed)).toBe(true);
});

it.each([
  ['pytest tests/b', 'pytest tests/a'],
  ['pytest tests/a', 'pytest'],
  ['pytest -k other', 'pytest tests/a'],
  ['pytest tests/a', 'DATABASE_URL=x pytest tests/a'],
  ['npm test -w packages/api', 'npm test -w packages/web'],
  ['npm test --workspace=packages/api', 'npm test'],
  ['npm run lint', 'npm run build'],
  ['npm install', 'npm test'],
  ['go build ./...', 'go test ./...'],
  ['make', 'make test'],
  ['git status', 'git push'],
  ['ls', 'pytest'],
])('the success of %s does not end the failure of %s', (succeeded, failed) => {
  expect(includesCommand(succeeded, failed)).toBe(false);
});

it('the same command has one key with and without a pipe', () => {
  expect(commandKey('pytest -q tests/a 2>&1 | tail -4')).toBe(commandKey('pytest tests/a'));
  expect(commandKey('pytest tests/a')).not.toBe(commandKey('pytest tests/b'));
});

it('searches and comparisons are distinguished from other commands', () => {
  expect(['rg x', 'git diff --quiet', 'cat a | grep b', 'test -f x', 'diff a b'].map(isSearch)).not.toContain(
    false,
  );
  expect(['pytest', 'git push', 'grep a b && npm test'].map(isSearch)).not.toContain(true);
});
