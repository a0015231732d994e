import { essentialCommands, type SimpleCommand } from './command-words.ts';

/** Programs that start the program in their arguments. */
const STARTERS = /^(?:npx|bunx|uv|poetry|pipenv|bundle|pnpm|yarn|rye|hatch|time|env|sudo|nice|timeout)$/u;
const STARTER_WORDS = /^(?:run|exec|dlx|-m|--|\d+[smh]?)$/u;
/** Test runners, compilers and linters: a run over more files includes one over fewer. */
const CHECKERS =
  /^(?:pytest|py\.test|tox|nox|jest|vitest|mocha|ava|tap|tsc|eslint|oxlint|biome|prettier|ruff|mypy|pyright|flake8|rspec|rubocop|phpunit|phpstan|ctest|golangci-lint)$/u;
const CHECKER_COMMANDS =
  /^(?:go (?:test|vet|build)|cargo (?:test|check|build|clippy|nextest)|(?:npm|pnpm|yarn|bun|deno|mvn|gradle|gradlew|dotnet|mix|swift|rails|zig|sbt) test|(?:npm|pnpm|yarn|bun) t|node --test)\b/u;

/** Flags that select the package or the project; their value makes it another command. */
const SCOPE_FLAG =
  /^(?:-w|--workspace|--filter|-C|--prefix|--cwd|-p|--package|--project|--manifest-path|--dir)$/u;

interface Call {
  readonly assignments: string;
  readonly program: string;
  readonly paths: readonly string[];
  readonly isChecker: boolean;
}

/** The text that two runs of the same command have in common, with or without a pipe that shortens the output. */
export function commandKey(line: string): string {
  return essentialCommands(line)
    .map((command) => {
      const { assignments, program, paths } = toCall(command);
      return [assignments, program, ...paths].filter(Boolean).join(' ');
    })
    .join(' && ');
}

/** Whether a command that succeeded includes one that failed before. */
export function includesCommand(succeeded: string, failed: string): boolean {
  if (succeeded === failed || commandKey(succeeded) === commandKey(failed)) return true;
  const calls = essentialCommands(succeeded).map(toCall);
  return essentialCommands(failed)
    .map(toCall)
    .every((part) => calls.some((call) => includesCall(call, part)));
}

function includesCall(whole: Call, part: Call): boolean {
  if (whole.program !== part.program || whole.assignments !== part.assignments) return false;
  const isSame = whole.paths.join('\n') === part.paths.join('\n');
  if (isSame || !whole.isChecker) return isSame;
  if (whole.paths.length === 0) return true;
  return (
    part.paths.length > 0 && part.paths.every((path) => whole.paths.some((other) => isInside(path, other)))
  );
}

function isInside(path: string, folder: string): boolean {
  const base = folder.replace(/\/?(?:\.\.\.)?$/u, '');
  return (
    base === '' ||
    base === '.' ||
    path === folder ||
    path.startsWith(`${base}/`) ||
    path.startsWith(`${folder}::`)
  );
}

function toCall({ assignments, words }: SimpleCommand): Call {
  let rest = words.map((word) => word);
  while (rest.length > 1 && (STARTERS.test(rest[0] ?? '') || /^python[\d.]*$/u.test(rest[0] ?? ''))) {
    const next = rest.slice(1).findIndex((word) => !STARTER_WORDS.test(word));
    const isOwnCommand =
      /^(?:pnpm|yarn)$/u.test(rest[0] ?? '') && /^(?:test|t|build|lint)$/u.test(rest[1] ?? '');
    const isScript = (rest[0] ?? '').startsWith('python') && rest[1] !== '-m';
    if (next === -1 || isOwnCommand || isScript) break;
    rest = rest.slice(1 + next);
  }
  const [name = '', ...others] = rest;
  const program = name.replace(/^.*\//u, '');
  const isCommandOfProgram = CHECKER_COMMANDS.test([program, ...others].join(' '));
  const isChecker = CHECKERS.test(program) || isCommandOfProgram;
  const call = { assignments: assignments.join(' '), isChecker };
  if (!isChecker) return { ...call, program, paths: others };
  const { scope, paths } = splitArguments(others);
  // The first word of "go test" or "npm test" belongs to the program.
  return isCommandOfProgram
    ? { ...call, program: [program, paths[0] ?? '', ...scope].join(' '), paths: paths.slice(1) }
    : { ...call, program: [program, ...scope].join(' '), paths };
}

/** Other flags of checkers change what they print; the names after flags such as -k or -run select tests, and are like paths. */
function splitArguments(words: readonly string[]): { scope: string[]; paths: string[] } {
  const scope: string[] = [];
  const paths: string[] = [];
  for (const [index, word] of words.entries()) {
    if (SCOPE_FLAG.test(words[index - 1] ?? '')) scope.push(`${words[index - 1]}=${word}`);
    else if (SCOPE_FLAG.test(word.replace(/=.*$/u, '')) && word.includes('=')) scope.push(word);
    else if (!word.startsWith('-')) paths.push(word);
  }
  return { scope, paths };
}
