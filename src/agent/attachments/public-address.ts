import { BlockList, isIPv6 } from 'node:net';

/** Networks that are not the public Internet (RFC 6890 and successors): private, loopback, link-local, shared, reserved, multicast. */
const IPV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`;
/** Includes ranges that contain an IPv4 address (translated, 6to4, Teredo), because that address may be private. */
const IPV6 = `::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16
  fc00::/7 fe80::/10 fec0::/10 ff00::/8`;

const blocked = createBlockList();

/** Returns whether an IP address belongs to the public Internet. */
export function isPublicAddress(address: string): boolean {
  // The zone of a link-local address is not part of it.
  const [bare = ''] = address.split('%');
  // An IPv4 address in the form of IPv6. The list would apply a network of these to IPv4 too.
  if (/^::ffff:/iu.test(bare)) return false;
  return !blocked.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4');
}

function createBlockList(): BlockList {
  const list = new BlockList();
  for (const [type, networks] of [
    ['ipv4', IPV4],
    ['ipv6', IPV6],
  ] as const) {
    for (const network of networks.split(/\s+/u)) {
      const [address = '', prefix] = network.split('/');
      list.addSubnet(address, Number(prefix), type);
    }
  }
  return list;
}
