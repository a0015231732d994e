/** Variables that a prompt may name; what is not among them stays as it is. */
export type PromptVariables = Readonly<Record<string, string>>;

/** Fills `${NAME}` and `{{NAME}}`. */
export function fillVariables(text: string, variables: PromptVariables): string {
  return text.replaceAll(
    /\$\{([A-Z][A-Z0-9_]*)\}|\{\{([A-Z][A-Z0-9_]*)\}\}/gu,
    (whole, a?: string, b?: string) => {
      const name = a ?? b ?? '';
      return Object.hasOwn(variables, name) ? (variables[name] ?? '') : whole;
    },
  );
}

/** The variables that every prompt has. */
export function promptVariables(facts: {
  readonly now: Date;
  readonly timezone: string;
  readonly format: string;
  readonly maxTurns: number;
  readonly maxToolCallsPerTurn: number;
  readonly user: string;
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
}): PromptVariables {
  return {
    DATETIME: facts.now.toISOString(),
    DAY: facts.now.toLocaleDateString('en-US', { weekday: 'long', timeZone: facts.timezone }),
    TIMEZONE: facts.timezone,
    FORMAT: facts.format,
    MAX_TURNS: String(facts.maxTurns),
    MAX_TOOLS: String(facts.maxToolCallsPerTurn),
    USER: facts.user,
    HOSTNAME: facts.hostname,
    OS: facts.os,
    ARCH: facts.arch,
  };
}
