import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../base/json.ts';

/** `${parameters.name}`, also `${parameters.place.city}`. */
const PARAMETER = /\$\{parameters\.([A-Za-z0-9_.-]+)\}/gu;
const ONLY_PARAMETER = /^\$\{parameters\.([A-Za-z0-9_.-]+)\}$/u;

/** Returns the names of the parameters that a text contains. */
export function findParameters(text: string): readonly string[] {
  return [...text.matchAll(PARAMETER)].map(([, path = '']) => path.split('.')[0] ?? path);
}

/** Fills a URL template. Values are encoded, and `.` and `..` are rejected, so that a model cannot choose another endpoint. */
export function fillUrl(template: string, parameters: JsonObject): string {
  return template.replaceAll(PARAMETER, (_, path: string) => {
    const text = asText(require(parameters, path));
    if (text === '.' || text === '..') throw invalidParameter(path, 'is not a valid path segment');
    return encodeURIComponent(text.toWellFormed());
  });
}

/** Fills a header template. Line breaks are rejected, because they would allow header injection. */
export function fillHeader(template: string, parameters: JsonObject): string {
  const text = template.replaceAll(PARAMETER, (_, path: string) => asText(require(parameters, path)));
  if (/[\r\n\0]/u.test(text)) throw invalidParameter('header', 'contains a line break');
  return text;
}

/** Fills a JSON template. A string that is one placeholder becomes the value with its type; a missing value is omitted. */
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
  if (value === undefined || value === null) throw invalidParameter(path, 'is missing');
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

function invalidParameter(path: string, problem: string): Fault {
  return new Fault('E_VALIDATION', `parameter ${path} ${problem}`, { details: { field: path, problem } });
}
