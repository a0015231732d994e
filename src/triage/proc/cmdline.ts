import { redactText } from '../../base/secrets/redact.ts';
import { maskArguments } from './mask-arguments.ts';

/** How much of a command line is stored; a process can make it arbitrarily long. */
export const COMMAND_CHARACTERS = 4096;

/** Parses `<pid>/cmdline`: arguments end in NUL bytes, unless the process has overwritten them. */
export function parseCmdline(bytes: Buffer): string[] {
  const text = bytes.toString('utf8');
  const args = text.replace(/\0+$/u, '').split('\0');
  if (args.length === 1 && args[0] === '') return [];
  const kept: string[] = [];
  let room = COMMAND_CHARACTERS;
  for (const [index, arg] of args.entries()) {
    if (room <= 0) {
      kept.push(`… (${args.length - index} more)`);
      break;
    }
    kept.push(arg.length > room ? `${arg.slice(0, room).replace(/[\uD800-\uDBFF]$/u, '')}…` : arg);
    room -= arg.length + 1;
  }
  // A secret may be part of an argument or a separate one: `--token`, `abc`.
  return maskArguments(redactText(kept.join('\0')).split('\0'));
}
