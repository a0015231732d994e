import type { SessionLimits } from '../session-config.ts';

/** Variables that a prompt can reference. */
export type PromptVariables = Readonly<Record<string, string>>;

/** Facts about the host and the time that prompts can include. */
export interface PromptFacts {
  readonly now: () => Date;
  readonly timezone: string;
  readonly user: string;
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
}

/** Replaces `${NAME}` and `{{NAME}}`; unknown names stay unchanged. */
export function fillVariables(text: string, variables: PromptVariables): string {
  const pattern = /\$\{([A-Z][A-Z0-9_]*)\}|\{\{([A-Z][A-Z0-9_]*)\}\}/gu;
  return text.replaceAll(pattern, (whole, dollar?: string, braces?: string) => {
    const name = dollar ?? braces ?? '';
    return Object.hasOwn(variables, name) ? (variables[name] ?? '') : whole;
  });
}

/** Returns the variables available in every prompt. */
export function promptVariables(facts: PromptFacts, limits: SessionLimits, format: string): PromptVariables {
  const now = facts.now();
  return {
    DATETIME: now.toISOString(),
    DAY: now.toLocaleDateString('en-US', { weekday: 'long', timeZone: facts.timezone }),
    TIMEZONE: facts.timezone,
    FORMAT: format,
    MAX_TURNS: String(limits.maxTurns),
    MAX_TOOLS: String(limits.maxToolCallsPerTurn),
    USER: facts.user,
    HOSTNAME: facts.hostname,
    OS: facts.os,
    ARCH: facts.arch,
  };
}
