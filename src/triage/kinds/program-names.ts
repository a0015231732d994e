/** What a command line runs. */
export interface ProgramNames {
  /** The executed file as the command line names it: `/usr/bin/node`. */
  readonly executable: string;
  /** The name of the executed file: `node`. */
  readonly program: string;
  /** The names by which a user knows the process: the program itself, or its script, module or package. Empty for code in an argument. */
  readonly names: readonly string[];
  readonly args: readonly string[];
  /** The script that an interpreter runs, with the interpreter: both as the command line names them. */
  readonly script?: Script;
}

export interface Script {
  readonly path: string;
  readonly interpreter: string;
}

/** Collects the names of a command line. */
interface Found {
  readonly names: Set<string>;
  script?: Script;
}

const INTERPRETER =
  /^(?:node(?:js)?|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby[\d.]*|perl|php[\d.]*|java|bash|sh|dash|zsh)$/u;
const SHELL = /^(?:bash|sh|dash|zsh)$/u;
/** Programs that run a package whose name is an argument. */
const WRAPPER = /^(?:npx|bunx|uvx|pnpx)$/u;
/** Programs that run a package with one of these subcommands. */
const WRAPPER_COMMANDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    npm: new Set(['exec', 'x']),
    pnpm: new Set(['dlx', 'exec']),
    yarn: new Set(['dlx', 'exec']),
    bun: new Set(['x']),
    uv: new Set(['run', 'tool']),
    pipx: new Set(['run']),
  }),
);
/** Options of interpreters and package runners that take the next word as their value. */
const OPTIONS_WITH_VALUE =
  /^(?:-r|--require|--import|--(?:experimental-)?loader|-e|-c|-C|--conditions|--env-file(?:-if-exists)?|--title|--input-type|--icu-data-dir|--openssl-config|--redirect-warnings|--diagnostic-dir|--watch-path|--preload|--tsconfig|-cp|-classpath|--class-path|-W|-X|-p|--package|--with|--from|--python)$/u;
/** A shell command that is more than one simple command is not analysed. */
const COMPOUND = /[;&|<>`(){}\n\\]/u;
/** A word of a simple shell command, with or without quotes. */
const SHELL_WORD = /"([^"]*)"|'([^']*)'|([^\s"']+)/gu;
const PLAIN_WORD = /^[\w@./+-]+$/u;
const EXTENSION = /\.(?:[cm]?[jt]s|py|rb|pl|php|sh|jar|exe)$/u;
/** An entry file is named after its folder. */
const ENTRY = /^(?:index|main|server|cli|stdio|app|__main__)$/u;
const BUILD_FOLDER = /^(?:dist|build|out|lib|src|bin)$/u;
/** `env bash -c 'npx …'` is analysed to this depth. */
const MAX_DEPTH = 3;

/**
 * Returns the names by which the kind of a process is recognized. Only the program, its script, module or package count: a file name or
 * folder among the other arguments does not identify the program. Example: `vim mcp-server.ts` is vim.
 */
export function programNames(command: readonly string[] | null, comm: string): ProgramNames {
  const words = splitTitle(command);
  if (words.length === 0) return { executable: comm, program: comm, names: [comm], args: [] };
  const found: Found = { names: new Set() };
  collectNames(words, found, MAX_DEPTH);
  const [executable = '', ...args] = words;
  const { names, script } = found;
  const known = { executable, program: programOf(executable), names: [...names], args };
  return script === undefined ? known : { ...known, script };
}

/** Splits the title with which a process can replace its command line: a first argument with spaces, such as `npm exec some-package`. */
function splitTitle(command: readonly string[] | null): readonly string[] {
  const [first = '', ...rest] = command ?? [];
  return [...first.split(' ').filter(Boolean), ...rest];
}

function programOf(word: string): string {
  return plainName(baseName(word).replace(/^-/u, ''));
}

function collectNames(words: readonly string[], found: Found, depth: number): void {
  const { names } = found;
  const [first = '', ...rest] = words;
  if (first === '' || depth === 0) return;
  const program = programOf(first);
  if (program === 'env') return collectNames(skipEnvironment(rest), found, depth - 1);
  const packaged = packageOf(program, rest);
  if (packaged !== undefined) {
    for (const name of packaged === '' ? [program] : namesOfPackage(packaged)) names.add(name);
  } else if (!INTERPRETER.test(program)) {
    names.add(program);
    addPathNames(first, names);
  } else if (rest.length === 0) {
    names.add(program);
  } else {
    collectScript(first, rest, found, depth);
  }
}

function collectScript(interpreter: string, rest: readonly string[], found: Found, depth: number): void {
  const { names } = found;
  const program = programOf(interpreter);
  if (SHELL.test(program) && rest[0] === '-c') {
    const text = rest[1] ?? '';
    const words = [...text.matchAll(SHELL_WORD)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
    // A program that is named by a variable is unknown.
    if (!COMPOUND.test(text) && PLAIN_WORD.test(words[0] ?? '')) collectNames(words, found, depth - 1);
    return;
  }
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    if (word === '-m' || word === '-jar') {
      names.add(plainName(baseName(rest[at + 1] ?? '')));
      return;
    }
    if (word === '-c' || word === '-e' || word === '-') return;
    if (OPTIONS_WITH_VALUE.test(word)) at += 1;
    else if (word === 'run' && (program === 'deno' || program === 'bun')) continue;
    else if (!word.startsWith('-')) {
      found.script = { path: word, interpreter };
      addPathNames(word, names);
      return;
    }
  }
}

/** Adds the names that a path implies: the file, the package inside node_modules or site-packages, and for an entry file the folder of the project. */
function addPathNames(path: string, names: Set<string>): void {
  const parts = path.split('/').filter(Boolean);
  const file = plainName(parts.at(-1) ?? '');
  if (file !== '') names.add(file);
  const modules = parts.findLastIndex((part) => part === 'node_modules' || part === 'site-packages');
  if (modules >= 0) {
    const scope = parts[modules + 1] ?? '';
    const name = scope.startsWith('@') ? `${scope}/${parts[modules + 2] ?? ''}` : scope;
    if (name !== '' && name !== '.bin') for (const known of namesOfPackage(name)) names.add(known);
    return;
  }
  if (!ENTRY.test(file)) return;
  const folder = parts.slice(0, -1).findLast((part) => !BUILD_FOLDER.test(part));
  if (folder !== undefined) names.add(folder);
}

/** Returns the package that a package runner runs; empty if the arguments name none, undefined for another program. */
function packageOf(program: string, rest: readonly string[]): string | undefined {
  const commands = WRAPPER_COMMANDS.get(program);
  let words: readonly string[];
  if (WRAPPER.test(program)) words = rest;
  else if (commands?.has(rest[0] ?? '')) words = rest[0] === 'tool' ? rest.slice(2) : rest.slice(1);
  else return undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (OPTIONS_WITH_VALUE.test(word)) at += 1;
    else if (!word.startsWith('-')) return word;
  }
  return '';
}

/** Returns both names of a package: `@scope/name` and `name` for `@scope/name@1.2.3`. */
function namesOfPackage(text: string): readonly string[] {
  const full = text.replace(/(?<=.)(?:@|==).*$/u, '');
  const short = full.slice(full.lastIndexOf('/') + 1);
  return [full, plainName(short)].filter((name) => name !== '');
}

function skipEnvironment(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.includes('=') && !word.startsWith('-'));
  return at < 0 ? [] : words.slice(at);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function plainName(name: string): string {
  return name.replace(EXTENSION, '');
}
