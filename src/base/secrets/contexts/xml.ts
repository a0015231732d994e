import { isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Secrets in elements of XML and of property lists. */
export const xmlPatterns = (): readonly ContextPattern[] => [
  {
    kind: 'password',
    substrings: '<input',
    pattern: () =>
      /<input\s[^<>]{0,300}?\btype=["']?password["']?\s[^<>]{0,300}?\bvalue=["'](?<value>[^"'<>]{4,200})["']/dgiu,
    accepts: isUnusual,
  },
  {
    kind: 'secret',
    substrings: '</',
    pattern: () =>
      /<(?<name>[A-Za-z][\w.:-]{0,63})(?:\s[^<>]{0,200})?>\s{0,40}(?:<!\[CDATA\[|<(?:\w{1,20}:)?(?:value|string|text)>)?(?<value>[^<>\s\]]{4,1000})(?:\]\]>|\s{0,40}<\/)/dgiu,
    accepts: isUnusual,
  },
  {
    // `<key>password</key><string>…</string>`, as in property lists.
    kind: 'secret',
    substrings: '</',
    pattern: () =>
      /<(?:key|name)>(?<name>[\w.-]{1,99})<\/(?:key|name)>\s{0,40}<(?:string|value)>\s{0,40}(?<value>[^<>\s]{4,1000})\s{0,40}<\//dgiu,
    accepts: isUnusual,
  },
  {
    // `<entry key="password">…</entry>`
    kind: 'secret',
    substrings: '</',
    pattern: () =>
      /<\w{1,40}\s(?:[^<>]{0,100}\s)?(?:key|name)=["'](?<name>[\w.-]{1,99})["'][^<>]{0,100}>\s{0,40}(?:<value>)?(?<value>[^<>\s]{4,1000})\s{0,40}<\//dgiu,
    accepts: isUnusual,
  },
];
