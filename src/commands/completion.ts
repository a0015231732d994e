import * as v from 'valibot';
import { described } from '../base/schema.ts';
import { defineRead, type Command } from '../contract/command.ts';
import { shownGlobals } from '../contract/global-parameters.ts';
import { parametersOf } from '../contract/command-parameters.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** The completions of a group or command: subcommands for a group, flags for a command. */
interface Choices {
  readonly at: string;
  readonly words: readonly string[];
}

export default defineRead({
  path: 'completion',
  summary: 'Print a completion script for a shell',
  description: 'Prints a completion script; load it with: eval "$(<program> completion bash --format raw)"',
  params: { shell: described(v.picklist(['bash', 'zsh', 'fish']), 'The shell') },
  positionals: ['shell'],
  output: v.object({ shell: v.picklist(['bash', 'zsh', 'fish']), script: v.string() }),
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
  zsh: zshScript,
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
    const flags = [...parametersOf(command), ...shownGlobals(command)].map(({ flag }) => flag);
    words.set(command.path, new Set([...(positional?.allowed ?? []), ...flags]));
  }
  return [...words].map(([at, set]) => ({ at, words: [...set] }));
}

/** Words that are not part of a path are arguments of the command before them. Without any completion, files are offered. */
function bashScript(tool: string, choices: readonly Choices[]): string {
  const name = identifier(tool);
  const cases = choices.map(({ at, words }) => `      '${at}') words='${words.join(' ')}' ;;`);
  return `_${name}_complete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at='' words='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ $word == -* ]] && break
    at="\${at:+$at }$word"
  done
  while :; do
    case "$at" in
${cases.join('\n')}
    esac
    [[ -n $words || $at != *' '* ]] && break
    at="\${at% *}"
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name}_complete ${tool}
`;
}

/** The same through zsh's bashcompinit, which needs zsh's completion system. */
function zshScript(tool: string, choices: readonly Choices[]): string {
  return `#compdef ${tool}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
autoload -U +X bashcompinit && bashcompinit
${bashScript(tool, choices)}`;
}

function fishScript(tool: string, choices: readonly Choices[]): string {
  const name = identifier(tool);
  const rows = choices.map(({ at, words }) => {
    // Files are offered after a complete command, because it may accept one.
    const noFiles = words.some((word) => word.startsWith('--')) ? '' : ' -f';
    return `complete -c ${tool}${noFiles} -n "__${name}_at '${at}'" -a '${words.join(' ')}'`;
  });
  const paths = choices.flatMap(({ at }) => (at === '' ? [] : [`'${at}'`]));
  return `set -g __${name}_paths ${paths.join(' ')}
function __${name}_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l at ''
    for word in $words
        set -l next (string trim -- "$at $word")
        contains -- $next $__${name}_paths; or break
        set at $next
    end
    test "$at" = "$argv[1]"
end
${rows.join('\n')}
`;
}

function identifier(tool: string): string {
  return tool.replaceAll(/[^a-z0-9]/gu, '_');
}
