/** One command of a command line: assignments before it, its program, and its arguments. */
export interface SimpleCommand {
  readonly assignments: readonly string[];
  readonly words: readonly string[];
  /** The operator before it: "&&", "||", "|", ";", or the empty string for the first one. */
  readonly operator: string;
}

const TOKEN =
  /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\|\||&&|\||;|\n)|(\d?(?:>>?|<)&?\s?[^\s|;&]*|&>\s?\S+)|([^\s|;&'"]+|&)|\s+/gu;

/** Splits a command line into simple commands. Quotes are removed, and redirections are left out; nothing is expanded. */
export function splitCommandLine(line: string): SimpleCommand[] {
  const commands: { operator: string; tokens: string[] }[] = [{ operator: '', tokens: [] }];
  let isInWord = false;
  for (const [text, double, single, operator, redirection, bare] of line.matchAll(TOKEN)) {
    const { tokens } = commands.at(-1) as { tokens: string[] };
    const part = double?.replaceAll(/\\(.)/gu, '$1') ?? single ?? bare;
    if (operator !== undefined) commands.push({ operator: text.trim() || ';', tokens: [] });
    if (part === undefined || redirection !== undefined) {
      isInWord = false;
      continue;
    }
    if (isInWord) tokens.push(`${tokens.pop() ?? ''}${part}`);
    else tokens.push(part);
    isInWord = true;
  }
  return commands
    .filter(({ tokens }) => tokens.length > 0)
    .map(({ operator, tokens }) => {
      const first = tokens.findIndex((token) => !/^\w+=/u.test(token));
      const count = first === -1 ? tokens.length : first;
      return { operator, assignments: tokens.slice(0, count), words: tokens.slice(count) };
    });
}

/** Programs through which an output is shortened; the program before them is what ran. */
const FILTERS = new Set(
  'tail head grep egrep rg sed awk cat tee less more sort uniq cut wc column tr ts'.split(' '),
);
/** Programs that print existing text, such as files and logs. An error message in that text is not their own result. */
const READERS = new Set(
  'cat bat less more head tail grep egrep fgrep rg ag ack sed awk jq yq ls find fd tree echo printf git gh glab curl wget diff cmp history man journalctl docker kubectl ssh'.split(
    ' ',
  ),
);
const SEARCHES = new Set(
  'grep egrep fgrep rg ag ack diff cmp test [ [[ which command type pgrep pidof'.split(' '),
);
/** Programs that only set up what runs after them. */
const PREPARATIONS = new Set('cd export set source . pushd mkdir sleep echo true :'.split(' '));

/** The commands of a line whose results matter: without preparations, filters, and what handles a failure. */
export function essentialCommands(line: string): SimpleCommand[] {
  const commands = splitCommandLine(line).filter(
    ({ operator, words: [program = ''] }) => operator !== '||' && !(operator === '|' && FILTERS.has(program)),
  );
  const essential = commands.filter(
    ({ words: [program = ''] }) => program !== '' && !PREPARATIONS.has(program),
  );
  return essential.length === 0 ? commands : essential;
}

export function isReader(line: string): boolean {
  return essentialCommands(line).every(({ words: [program = ''] }) => READERS.has(program));
}

/** Whether exit status 1 of a command only means that nothing was found, or that something differs. */
export function isSearch(line: string): boolean {
  const last = splitCommandLine(line).at(-1)?.words ?? [];
  const program = last[0] ?? '';
  return SEARCHES.has(program) || (program === 'git' && /^(?:diff|grep|check-ignore)$/u.test(last[1] ?? ''));
}
