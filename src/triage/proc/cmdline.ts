import { REDACTED, redactText } from '../../base/secrets/redact.ts';
import { isSecretName } from '../../base/secrets/secret-name.ts';

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
  return redactText(kept.join('\0')).split('\0').map(maskAssignment);
}

/** In an argument of its own, such as `MYSQL_PWD=hidden`, the value of a secret's name is one even if it is an ordinary word. */
function maskAssignment(arg: string): string {
  const [, name = '', value = ''] = /^(?:--?)?([A-Za-z][\w-]{0,60})=(.+)$/su.exec(arg) ?? [];
  if (value === '' || value.startsWith('$') || /^(?:OLD)?PWD$/u.test(name) || !isSecretName(name)) return arg;
  return `${arg.slice(0, arg.length - value.length)}${REDACTED}`;
}
