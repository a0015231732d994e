import { expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '192.169.0.1', '2606:4700:4700::1111', '2a00:1450::200e'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

const NOT_PUBLIC = `0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 198.18.0.1
  224.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::a00:1 2002:7f00:1:: 2001:db8::1 2001::1 fc00::1
  fd12::1 fe80::1 fe80::1%eth0 ff02::1`;
it.each(NOT_PUBLIC.split(/\s+/u))('%s is not public', (address) =>
  expect(isPublicAddress(address)).toBe(false),
);
