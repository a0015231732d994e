import { ownMember } from '../../base/own-member.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** An undefined variable in a configuration layer. */
export class MissingVariableError extends Fault {
  constructor(variable: string, layer: string, path: string) {
    super(
      'E_CONFIG',
      `MissingVariableError: ${layer} uses \${${variable}} in ${path}, but the variable is not set.`,
      {
        hint: `Set ${variable} in the environment or in the .env file next to ${layer}.`,
        details: { error: 'MissingVariableError', variable, layer, path },
      },
    );
    this.name = 'MissingVariableError';
  }
}

/** A string with an undefined variable. Its error is thrown only when the value is used. */
export class UnresolvedText {
  readonly error: MissingVariableError;

  constructor(error: MissingVariableError) {
    this.error = error;
  }
}

/** `${NAME}`. Names with a dot, such as `${parameters.id}`, are expanded when the tool is called. */
const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/gu;

export interface ExpandOptions {
  /** Shown in errors. */
  readonly layer: string;
  /** Searched in this order. */
  readonly variables: readonly Variables[];
  /** Returns whether the values at a path, such as `mcpServers.x.env`, must not be expanded. */
  readonly isProtected: (path: readonly string[]) => boolean;
}

/** Expands the placeholders in a tree of JSON values. */
export function expandTree(value: unknown, options: ExpandOptions, path: readonly string[] = []): unknown {
  if (options.isProtected(path)) return value;
  if (typeof value === 'string') return expandText(value, options, path);
  if (Array.isArray(value))
    return value.map((item, index) => expandTree(item, options, [...path, String(index)]));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, expandTree(member, options, [...path, key])]),
  );
}

function expandText(text: string, options: ExpandOptions, path: readonly string[]): string | UnresolvedText {
  let missing: string | undefined;
  const expanded = text.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const value = options.variables
      .map((variables) => ownMember(variables, name))
      .find((each) => each !== undefined);
    if (value === undefined) missing ??= name;
    return value ?? whole;
  });
  if (missing === undefined) return expanded;
  return new UnresolvedText(new MissingVariableError(missing, options.layer, path.join('.')));
}

/** Throws the error of the first unresolved string in a tree. */
export function assertResolved(value: unknown): void {
  if (value instanceof UnresolvedText) throw value.error;
  if (Array.isArray(value)) value.forEach(assertResolved);
  else if (isPlainObject(value)) Object.values(value).forEach(assertResolved);
}

/** Expands defined variables and leaves the others unchanged, for values that are resolved when a server starts. */
export function expandKnown(
  values: Readonly<Record<string, string>>,
  variables: Variables,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, text]) => [
      key,
      text.replaceAll(PLACEHOLDER, (whole, name: string) => ownMember(variables, name) ?? whole),
    ]),
  );
}

/** Returns the names of the variables in a text. */
export function findVariables(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}
