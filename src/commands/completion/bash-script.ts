import type { Choices } from './choices.ts';
import { identifier } from './identifier.ts';

/** Words that are not part of a path are arguments of the command before them. Without any completion, files are offered. */
export function bashScript(tool: string, { words, values }: Choices): string {
  const name = identifier(tool);
  const cases = [...words].map(([at, list]) => `      '${at}') words='${list.join(' ')}' ;;`);
  const flags = values.map(({ at, flag, words: list }) => {
    const pattern = at === undefined ? `*' ${flag}'` : `'${at} ${flag}'`;
    return `    ${pattern}) words='${list.join(' ')}' ;;`;
  });
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
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${flags.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name}_complete ${tool}
`;
}

/** Renders the script for zsh, which runs the bash functions through bashcompinit. That needs zsh's completion system. */
export function zshScript(tool: string, choices: Choices): string {
  return `#compdef ${tool}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
autoload -U +X bashcompinit && bashcompinit
${bashScript(tool, choices)}`;
}
