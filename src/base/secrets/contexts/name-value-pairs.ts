import { isUnusual, type ContextPattern } from '../context-pattern.ts';

/** A name and its value as two members, as in Kubernetes, ECS, CloudFormation, Postman and .NET. */
export const nameValuePatterns = (): readonly ContextPattern[] => [
  {
    kind: 'secret',
    substrings: 'value',
    pattern: () =>
      /(?:\b|Parameter|Option)(?:name|key)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?(?<name>[A-Za-z_][\w.-]{0,99})\\{0,3}["']?(?:,\s{0,40}|\s{1,40})(?:\\{0,3}["']?(?:type|secure|enabled|secret|sensitive|namespace|category)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?[\w:.-]{1,60}\\{0,3}["']?(?:,\s{0,40}|\s{1,40})){0,3}\\{0,3}["']?(?:Parameter|Option)?value\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?(?<value>[^\s"'<>\\]{4,1000})/dgiu,
    accepts: isUnusual,
  },
  {
    // A value in quotes may contain spaces.
    kind: 'secret',
    substrings: 'value',
    pattern: () =>
      /"(?:Parameter|Option)?(?:name|key)"\s{0,4}:\s{0,4}"(?<name>[A-Za-z_][\w.-]{0,99})",\s{0,40}"(?:Parameter|Option)?value"\s{0,4}:\s{0,4}"(?<value>[^"\n]{4,1000})"/dgiu,
    accepts: isUnusual,
  },
  {
    kind: 'secret',
    substrings: 'value',
    pattern: () =>
      /\\{0,3}["'](?:Parameter|Option)?value\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["'](?<value>[^"'\n\\]{4,1000})\\{0,3}["'],\s{0,40}\\{0,3}["'](?:Parameter|Option)?(?:name|key)\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["'](?<name>[A-Za-z_][\w.-]{0,99})\\{0,3}["']/dgiu,
    accepts: isUnusual,
  },
];
