import { REDACTED } from '../../base/secrets/redact.ts';
import { isSecretName } from '../../base/secrets/secret-name.ts';

/** Programs whose short flag takes a password, in the same argument or in the next one. */
const PASSWORD_FLAGS: readonly (readonly [RegExp, string])[] = [
  [/^(?:sshpass|mongo(?:sh|dump|restore|export|import|stat|top)?|psexec)$/u, '-p'],
  [/^redis-cli$/u, '-a'],
  [/^(?:mosquitto_(?:pub|sub|rr)|sqlcmd|bcp|zip|unzip)$/u, '-P'],
  [/^ldap(?:search|modify|add|delete|whoami|passwd)$/u, '-w'],
];
/** They take the command of another program, whose flags are its own. */
const RUNS_ANOTHER = /^sshpass$/u;

/** Masks passwords in the arguments of programs that are known to take them there, even if they look like ordinary words. */
export function maskArguments(args: readonly string[]): string[] {
  const masked = [...args];
  for (const [at, arg] of args.entries()) {
    const program = arg.slice(arg.lastIndexOf('/') + 1);
    const flag = PASSWORD_FLAGS.find(([name]) => name.test(program))?.[1];
    if (flag !== undefined) maskFlag(masked, at + 1, flag, RUNS_ANOTHER.test(program));
  }
  return masked.map((arg, at) =>
    /^-\w*c$/u.test(args[at - 1] ?? '') ? maskScript(arg) : maskAssignment(arg),
  );
}

function maskFlag(args: string[], start: number, flag: string, isOwnOnly: boolean): void {
  for (let at = start; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === flag && at + 1 < args.length) args[(at += 1)] = REDACTED;
    else if (arg.startsWith(flag) && arg !== flag) args[at] = `${flag}${REDACTED}`;
    else if (isOwnOnly && !arg.startsWith('-')) return;
  }
}

/** In an argument of its own, such as `MYSQL_PWD=hidden`, the value of a secret's name is one even if it is an ordinary word. */
function maskAssignment(arg: string): string {
  const [, name = '', value = ''] = /^(?:--?)?([A-Za-z][\w-]{0,60})=(.+)$/su.exec(arg) ?? [];
  if (value === '' || !isSecretAssignment(name, value)) return arg;
  return `${arg.slice(0, arg.length - value.length)}${REDACTED}`;
}

/** In the text of a script, a value ends at the next space outside quotes: the rest is still needed to start the program again. */
function maskScript(text: string): string {
  return text
    .replaceAll(
      /(?<=^|[\s;&|(])([A-Za-z]\w{0,60})=("[^"]*"|'[^']*'|[^\s;&|)]+)/gu,
      (whole, name: string, value: string) =>
        isSecretAssignment(name, value) ? `${name}=${REDACTED}` : whole,
    )
    .replaceAll(
      /(\b(?:sshpass|mongosh|mongo)\s(?:[^\n|;&]{0,200}?\s)??-p\s?)("[^"]*"|'[^']*'|[^\s;&|-][^\s;&|]*)/gu,
      `$1${REDACTED}`,
    );
}

function isSecretAssignment(name: string, value: string): boolean {
  return !value.startsWith('$') && !/^(?:OLD)?PWD$/u.test(name) && isSecretName(name);
}
