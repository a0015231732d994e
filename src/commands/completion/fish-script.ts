import type { Choices } from './choices.ts';
import { identifier } from './identifier.ts';

/** After a flag with a value only its values are offered, or files. */
export function fishScript(tool: string, { words, values }: Choices): string {
  const name = identifier(tool);
  const rows = [...words].map(([at, list]) => {
    // Files are offered after a complete command, because it may accept one.
    const noFiles = list.some((word) => word.startsWith('--')) ? '' : ' -f';
    return `complete -c ${tool}${noFiles} -n "__${name}_at '${at}'" -a '${list.join(' ')}'`;
  });
  const valueRows = values.flatMap(({ at, flag, words: list }) => {
    if (list.length === 0) return [];
    const path = at === undefined ? '' : ` '${at}'`;
    return [`complete -c ${tool} -f -n "__${name}_value ${flag}${path}" -a '${list.join(' ')}'`];
  });
  const paths = [...words.keys()].flatMap((at) => (at === '' ? [] : [`'${at}'`]));
  const everywhere = values.flatMap(({ at, flag }) => (at === undefined ? [flag] : []));
  const somewhere = values.flatMap(({ at, flag }) => (at === undefined ? [] : [`'${at} ${flag}'`]));
  return `set -g __${name}_paths ${paths.join(' ')}
set -g __${name}_valued ${[...everywhere, ...somewhere].join(' ')}
function __${name}_path
    set -l words (commandline -opc)
    set -e words[1]
    set -l at ''
    for word in $words
        set -l next (string trim -- "$at $word")
        contains -- $next $__${name}_paths; or break
        set at $next
    end
    echo $at
end
function __${name}_at
    set -l at (__${name}_path)
    set -l last (commandline -opc)[-1]
    contains -- $last $__${name}_valued; and return 1
    contains -- "$at $last" $__${name}_valued; and return 1
    test "$at" = "$argv[1]"
end
function __${name}_value
    test (commandline -opc)[-1] = $argv[1]; or return 1
    test (count $argv) -eq 1; or test (__${name}_path) = "$argv[2]"
end
${[...rows, ...valueRows].join('\n')}
`;
}
