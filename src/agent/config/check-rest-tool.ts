import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import type { RestToolSettings } from './config-schema.ts';
import { UnresolvedText } from './placeholders.ts';

/** Throws for a placeholder of a parameter that is not written as `${parameters.name}`: it would be sent as it is. */
export function checkRestTool(name: string, settings: RestToolSettings | undefined): void {
  const properties = settings?.parametersSchema?.properties;
  const parameters = isPlainObject(properties) ? Object.keys(properties) : [];
  for (const [field, value] of Object.entries(settings ?? {})) {
    if (field !== 'url' && field !== 'headers' && field !== 'bodyTemplate') continue;
    const found = findBarePlaceholder(value, parameters);
    if (found !== undefined) throw barePlaceholder(`restTools.${name}.${field}`, found);
  }
}

interface BarePlaceholder {
  readonly written: string;
  readonly parameter: string;
}

function findBarePlaceholder(value: unknown, parameters: readonly string[]): BarePlaceholder | undefined {
  if (value instanceof UnresolvedText) {
    const { variable } = value.error.details;
    const parameter = parameters.find((each) => each === variable);
    return parameter === undefined ? undefined : { written: `\${${parameter}}`, parameter };
  }
  if (typeof value === 'string') {
    const parameter = parameters.find((each) => value.replaceAll(/\$\{[^}]*\}/gu, '').includes(`{${each}}`));
    return parameter === undefined ? undefined : { written: `{${parameter}}`, parameter };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.values(value)
    .map((each) => findBarePlaceholder(each, parameters))
    .find((found) => found !== undefined);
}

function barePlaceholder(path: string, { written, parameter }: BarePlaceholder): Fault {
  return new Fault('E_CONFIG', `${path} contains ${written}, which is not a placeholder of a parameter.`, {
    hint: `Write \${parameters.${parameter}}.`,
    details: { path, parameter },
  });
}
