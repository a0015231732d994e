import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import type { Paint } from '../../base/paint.ts';
import { printable } from '../../base/text.ts';
import { wrapText } from '../../base/wrap-text.ts';
import { defineRead, type Command, type CommandContext } from '../../contract/command.ts';
import { fail, type Check, type Checker, type CheckOptions } from '../../contract/health-check.ts';
import { toFault } from '../../contract/exit-code.ts';
import { checkAudit } from './check-audit.ts';
import { checkSettings } from './check-settings.ts';
import { checkHome } from './check-home.ts';
import { checkReadiness, READINESS } from './check-readiness.ts';
import { checkRuntime } from './check-runtime.ts';
import { checkSecret } from './check-secret.ts';

const CHECKERS: Readonly<Record<string, Checker>> = {
  runtime: checkRuntime,
  home: checkHome,
  config: checkSettings,
  confirm_secret: checkSecret,
  audit: checkAudit,
  release_readiness: checkReadiness,
};

/** Defines the `doctor` command of a tool: the common checks, then the checks of the tool. */
export function defineDoctor(ownChecks: Readonly<Record<string, Checker>>): Command {
  return defineRead({
    path: 'doctor',
    summary: 'Check this installation and suggest fixes',
    params: {
      deep: described(
        v.optional(v.boolean(), false),
        'Also connect to tool servers and providers, and check a large store completely instead of samples',
      ),
    },
    output: v.object({
      healthy: described(
        v.boolean(),
        'Whether it works: no check failed, except for the readiness of the release',
      ),
      verdict: described(v.string(), 'One line: whether it works, and which checks need attention'),
      checks: v.array(
        v.object({
          check: v.string(),
          status: v.picklist(['pass', 'warn', 'fail']),
          message: v.string(),
          fix: v.nullable(v.string()),
        }),
      ),
    }),
    examples: ['doctor', 'doctor --deep --format text'],
    run: async ({ deep }, context) => {
      const checks: Check[] = [];
      for (const [name, checker] of Object.entries({ ...CHECKERS, ...ownChecks })) {
        checks.push(await runCheck(name, checker, context, { deep }));
      }
      return {
        healthy: checks.every(({ status, check }) => status !== 'fail' || check === READINESS),
        verdict: verdictOf(checks, context.tool.name),
        checks,
      };
    },
    renderText: ({ checks, verdict }, paint, columns) =>
      `${checks.map((check) => renderCheck(check, paint, columns)).join('')}\n${wrapText(verdict, 0, columns)}\n`,
  });
}

/** Renders the verdict. Only failed checks mean that the tool does not work; the readiness of the release is left out, as users cannot change it. */
function verdictOf(checks: readonly Check[], tool: string): string {
  const named = (status: Check['status']): string =>
    checks
      .filter((check) => check.status === status && check.check !== READINESS)
      .map(({ check }) => check)
      .join(', ');
  const [failed, warned] = [named('fail'), named('warn')];
  if (failed !== '') return `${tool} does not work fully: fix ${failed}.`;
  return warned === ''
    ? `${tool} works on this machine.`
    : `${tool} works on this machine, with warnings: ${warned}.`;
}

function renderCheck({ check, status, message, fix }: Check, paint: Paint, columns: number): string {
  const colour = { pass: paint.green, warn: paint.yellow, fail: paint.red }[status];
  const wrapped = (text: string): string => wrapText(printable(text), INDENT, columns);
  const text = wrapped(`${check}: ${message}`).replace(check, paint.bold(check));
  const advice = fix === null ? '' : `${' '.repeat(INDENT)}${paint.dim(wrapped(`fix: ${fix}`))}\n`;
  return `${colour(status)}  ${text}\n${advice}`;
}

/** Below the names, after the status. */
const INDENT = 6;

async function runCheck(
  name: string,
  checker: Checker,
  context: CommandContext,
  options: CheckOptions,
): Promise<Check> {
  try {
    return await checker(context, options);
  } catch (error) {
    const { message, hint } = toFault(error);
    return fail(name, message, hint ?? 'See the message.');
  }
}
