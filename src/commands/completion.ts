import * as z from 'zod/mini';
import { defineRead, described, type Command } from '../contract/command.ts';
import { usefulGlobals } from '../contract/global-parameters.ts';
import { parametersOf } from '../contract/parameters.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** What may follow each group or command: words for a group, flags for a command. */
interface Choices {
  readonly at: string;
  readonly words: readonly string[];
}

export default defineRead({
  path: 'completion',
  summary: 'Print a completion script for a shell',
  description: 'Prints a completion script; load it with: eval "$(deed completion bash --format raw)"',
  params: { shell: described(z.enum(['bash', 'zsh', 'fish']), 'The shell') },
  positionals: ['shell'],
  output: z.object({ shell: z.enum(['bash', 'zsh', 'fish']), script: z.string() }),
  examples: ['completion bash --format raw', 'completion zsh --format raw', 'completion fish --format raw'],
  selfDescription: true,
  run: async ({ shell }, { tool, table }) => {
    const choices = listChoices(await table.loadAll());
    return { shell, script: SCRIPTS[shell](tool.name, choices) };
  },
  renderText: ({ script }) => script,
  renderRaw: ({ script }) => script,
});

const SCRIPTS: Readonly<Record<Shell, (tool: string, choices: readonly Choices[]) => string>> = {
  bash: bashScript,
  zsh: (tool, choices) =>
    `#compdef ${tool}\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(tool, choices)}`,
  fish: fishScript,
};

function listChoices(commands: readonly Command[]): readonly Choices[] {
  const words = new Map<string, Set<string>>();
  for (const command of commands) {
    const steps = command.path.split(' ');
    steps.forEach((step, index) => {
      const at = steps.slice(0, index).join(' ');
      words.set(at, (words.get(at) ?? new Set()).add(step));
    });
    const positional = parametersOf(command).find(({ position }) => position === 0);
    const flags = [...parametersOf(command), ...usefulGlobals(command)].map(({ flag }) => flag);
    words.set(command.path, new Set([...(positional?.allowed ?? []), ...flags]));
  }
  return [...words].map(([at, set]) => ({ at, words: [...set] }));
}

function bashScript(tool: string, choices: readonly Choices[]): string {
  const name = tool.replaceAll(/[^a-z0-9]/gu, '_');
  const cases = choices.map(({ at, words }) => `    '${at}') words='${words.join(' ')}' ;;`);
  return `_${name}_complete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ $word == -* ]] && break
    path="\${path:+$path }$word"
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _${name}_complete ${tool}
`;
}

function fishScript(tool: string, choices: readonly Choices[]): string {
  const rows = choices.map(({ at, words }) => {
    const count = at === '' ? 0 : at.split(' ').length;
    const test = `test (string join ' ' (commandline -opc)[2..${count + 1}]) = '${at}'; and test (count (commandline -opc)) -ge ${count + 1}`;
    const condition = at === '' ? 'test (count (commandline -opc)) -eq 1' : test;
    return `complete -c ${tool} -f -n "${condition}" -a '${words.join(' ')}'`;
  });
  return `${rows.join('\n')}\n`;
}
