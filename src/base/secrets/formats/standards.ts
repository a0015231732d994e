import { format, type TokenFormat } from '../token-format.ts';

/** Formats that belong to no vendor: web tokens, private keys and password hashes. */
export const standardFormats = (): readonly TokenFormat[] => [
  format('json web token', ['eyj'], () => /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/gu),
  format(
    'json web token',
    ['eyj'],
    () => /(?<![\w-])eyJ[\w-]{16,}\.{1,2}[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]{8,})*/gu,
  ),
  format(
    'private key',
    ['-----begin'],
    () => /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----[\s\S]*?(?:-----END \1-----|$)/gu,
  ),
  format(
    'private key',
    ['putty-user-key-file'],
    () =>
      /(?<=PuTTY-User-Key-File-[0-9][\s\S]{0,2000}Private-Lines: [0-9]{1,4}\s{1,4})(?:[A-Za-z0-9+/=]{1,76}(?:\r?\n|$)){1,100}/gu,
  ),
  // The base64 encoding of a private key, as in a Secret of Kubernetes.
  format(
    'private key',
    ['ls0tls1crudjti'],
    () =>
      /LS0tLS1CRUdJTi(?:BSU0Eg|BQUklWQVRF|BFQyBQ|BPUEVOU1NI|BFTkNSWVBURUQg|BQR1AgUFJJ|BEU0Eg)[A-Za-z0-9+/=]{16,}(?:\r?\n[A-Za-z0-9+/=]{40,})*/gu,
  ),
  format(
    'password hash',
    ['$2', '$6$', '$5$', '$1$', '$y$', '$apr1$', '$argon2'],
    () =>
      /\$(?:2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}|(?:1|5|6|y|apr1)\$[./A-Za-z0-9=$]{24,}|argon2(?:id?|d)\$[^\s"']{30,})/gu,
  ),
];
