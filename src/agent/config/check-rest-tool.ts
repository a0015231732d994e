import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import { findParameters } from '../tools/rest-template.ts';
import type { RestToolSettings } from './config-schema.ts';
import { UnresolvedText } from './placeholders.ts';

/**
 * Throws for a placeholder without the prefix `parameters.`, such as `${name}`, which would be sent verbatim, and for a placeholder of a
 * parameter that is not in the schema, which no call could fill.
 */
export function checkRestTool(name: string, settings: RestToolSettings | undefined): void {
  const properties = settings?.parametersSchema?.properties;
  const parameters = isPlainObject(properties) ? Object.keys(properties) : [];
  for (const [field, value] of Object.entries(settings ?? {})) {
    if (field !== 'url' && field !== 'headers' && field !== 'bodyTemplate') continue;
    const found = findBarePlaceholder(value, parameters);
    if (found !== undefined) throw barePlaceholder(`restTools.${name}.${field}`, found);
    const unknown = isClosed(settings?.parametersSchema)
      ? textsIn(value)
          .flatMap(findParameters)
          .find((each) => !parameters.includes(each))
      : undefined;
    if (unknown !== undefined) throw unknownParameter(name, field, unknown, parameters);
  }
}

/** Returns whether a schema lists all possible parameters: it does not combine other schemas, and does not allow additional properties. */
function isClosed(schema: RestToolSettings['parametersSchema'] = {}): boolean {
  const { properties, additionalProperties = false } = schema;
  if (properties === undefined || additionalProperties !== false) return false;
  return OPEN_KEYWORDS.every((key) => schema[key] === undefined);
}

const OPEN_KEYWORDS = ['patternProperties', '$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function unknownParameter(name: string, field: string, unknown: string, known: readonly string[]): Fault {
  const suggestion = nearest(unknown, known);
  return new Fault(
    'E_CONFIG',
    `restTools.${name}.${field} uses \${parameters.${unknown}}, which parametersSchema does not have.`,
    {
      hint:
        suggestion === undefined
          ? `Add ${unknown} to the properties of restTools.${name}.parametersSchema.`
          : `Did you mean \${parameters.${suggestion}}?`,
      details: { path: `restTools.${name}.${field}`, parameter: unknown, known: [...known] },
    },
  );
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
