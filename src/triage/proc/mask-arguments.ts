import { isPortMapping } from '../../base/secrets/ordinary-value.ts';
import { REDACTED } from '../../base/secrets/redact.ts';
import { isSecretAssignment, maskScript } from './mask-script.ts';

/** Programs whose short flag takes a password, in the same argument or in the next one. */
const PASSWORD_FLAGS: readonly (readonly [RegExp, string])[] = [
  [/^(?:sshpass|mongo(?:sh|dump|restore|export|import|stat|top)?|psexec)$/u, '-p'],
  [/^redis-cli$/u, '-a'],
  [/^(?:mosquitto_(?:pub|sub|rr)|sqlcmd|bcp|zip|unzip)$/u, '-P'],
  [/^ldap(?:search|modify|add|delete|whoami|passwd)$/u, '-w'],
];
/** Programs that run the command in their arguments. The flags after it belong to that command. */
const RUNS_ANOTHER = /^sshpass$/u;
/** Programs whose flag takes a password only in the same argument; without it, the program asks for the password. */
const ATTACHED_ONLY = /^(?:mysql(?:dump|admin|import|check|show|pump|slap|binlog|sh)?|mariadb(?:-[a-z]+)?)$/u;
/** Programs whose flag takes a user and a password, and the separator between the two. */
const USER_FLAGS: readonly (readonly [program: RegExp, flag: RegExp, separator: string])[] = [
  [/^(?:curl|xh|http)$/u, /^(?:-[afgiIjJklLnNOqRsSvZ]{0,8}[uU]|--(?:proxy-)?user=?)/u, ':'],
  [/^(?:smbclient|smbget|smbcacls|rpcclient|winexe|net)$/u, /^(?:-U|--user=?)/u, '%'],
];

/** Masks passwords in the arguments of programs that are known to take them there, even if they look like ordinary words. */
export function maskArguments(args: readonly string[]): string[] {
  const masked = [...args];
  for (const [at, arg] of args.entries()) {
    const program = arg.slice(arg.lastIndexOf('/') + 1);
    const flag = PASSWORD_FLAGS.find(([name]) => name.test(program))?.[1];
    if (flag !== undefined) maskFlag(masked, at + 1, flag, RUNS_ANOTHER.test(program));
    if (ATTACHED_ONLY.test(program)) maskAttached(masked, at + 1);
    const [, userFlag, separator] = USER_FLAGS.find(([name]) => name.test(program)) ?? [];
    if (userFlag !== undefined && separator !== undefined) maskUsers(masked, at + 1, userFlag, separator);
  }
  return masked.map((arg, at) =>
    /^-\w*c$/u.test(args[at - 1] ?? '') ? maskScript(arg) : maskAssignment(arg),
  );
}

function maskFlag(args: string[], start: number, flag: string, isOwnOnly: boolean): void {
  for (let at = start; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const next = args[at + 1];
    if (arg === flag && next !== undefined) {
      at += 1;
      args[at] = isPortMapping(next) ? next : REDACTED;
    } else if (arg.startsWith(flag) && arg !== flag) maskAfter(args, at, flag.length);
    else if (isOwnOnly && !arg.startsWith('-')) return;
  }
}

function maskAttached(args: string[], start: number): void {
  for (let at = start; at < args.length; at += 1) {
    if (/^-p./su.test(args[at] ?? '')) maskAfter(args, at, 2);
  }
}

/** Masks what follows the user in `-u`, `me:hidden` and in `-ume:hidden`. */
function maskUsers(args: string[], start: number, flag: RegExp, separator: string): void {
  for (let at = start; at < args.length; at += 1) {
    const [written] = flag.exec(args[at] ?? '') ?? [];
    if (written === undefined) continue;
    if (written === args[at]) at += 1;
    const separatorAt = (args[at] ?? '').indexOf(separator);
    if (separatorAt !== -1) maskAfter(args, at, separatorAt + 1);
  }
}

function maskAfter(args: string[], at: number, length: number): void {
  const arg = args[at] ?? '';
  const value = arg.slice(length);
  if (value !== '' && !isPortMapping(value)) args[at] = `${arg.slice(0, length)}${REDACTED}`;
}

/** Masks an argument such as `MYSQL_PWD=hidden`: after the name of a secret, even an ordinary word is a secret. */
function maskAssignment(arg: string): string {
  const [, name = '', value = ''] = /^(?:--?)?([A-Za-z][\w-]{0,60})=(.+)$/su.exec(arg) ?? [];
  if (value === '' || !isSecretAssignment(name, value)) return arg;
  return `${arg.slice(0, arg.length - value.length)}${REDACTED}`;
}
