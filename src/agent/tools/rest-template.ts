import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../base/json.ts';

/** `${parameters.name}`, also `${parameters.place.city}`. */
const PARAMETER = /\$\{parameters\.([A-Za-z0-9_.-]+)\}/gu;
const ONLY_PARAMETER = /^\$\{parameters\.([A-Za-z0-9_.-]+)\}$/u;

/** Fills an address. Values are encoded, and one that would climb to another path is refused: a model must not choose the endpoint. */
export function fillUrl(template: string, parameters: JsonObject): string {
  return template.replaceAll(PARAMETER, (_, path: string) => {
    const text = asText(require(parameters, path));
    if (text === '.' || text === '..') throw refused(path, 'is no name');
    return encodeURIComponent(text.toWellFormed());
  });
}

/** Fills a header; a line break would begin a header of the model's own. */
export function fillHeader(template: string, parameters: JsonObject): string {
  const text = template.replaceAll(PARAMETER, (_, path: string) => asText(require(parameters, path)));
  if (/[\r\n\0]/u.test(text)) throw refused('header', 'holds a line break');
  return text;
}

/** Fills a tree of JSON values: a text that is one placeholder becomes the value itself, whatever its type; an absent one is left out. */
export function fillBody(template: unknown, parameters: JsonObject): unknown {
  if (typeof template === 'string') {
    const only = ONLY_PARAMETER.exec(template)?.[1];
    if (only !== undefined) return find(parameters, only);
    return template.replaceAll(PARAMETER, (_, path: string) => asText(find(parameters, path) ?? ''));
  }
  if (Array.isArray(template)) return template.map((item) => fillBody(item, parameters));
  if (!isPlainObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, fillBody(value, parameters)]),
  );
}

function require(parameters: JsonObject, path: string): JsonValue {
  const value = find(parameters, path);
  if (value === undefined || value === null) throw refused(path, 'is missing');
  return value;
}

function find(parameters: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = parameters;
  for (const key of path.split('.')) {
    if (!isPlainObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key] as JsonValue;
  }
  return value;
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function refused(path: string, problem: string): Fault {
  return new Fault('E_VALIDATION', `parameter ${path} ${problem}`, { details: { field: path, problem } });
}
