import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCgroup } from './cgroup.ts';
import { COMMAND_CHARACTERS, parseCmdline } from './cmdline.ts';
import { parseEnviron } from './environ.ts';
import { parseFdLink } from './fd-link.ts';
import { parseFdinfo } from './fdinfo.ts';
import { parseIo } from './io.ts';
import { parseLocalMounts } from './local-mounts.ts';
import { parseAuxv, parseHidepid, parseMeminfo } from './machine.ts';
import { parseNetTcp } from './net-tcp.ts';
import { parseNetUnix } from './net-unix.ts';
import { parseStat } from './stat.ts';
import { parseStatus } from './status.ts';

describe('for any file content', () => {
  const texts = [
    parseStat,
    parseStatus,
    parseCgroup,
    parseIo,
    parseFdLink,
    parseFdinfo,
    parseNetTcp,
    parseNetUnix,
    parseHidepid,
    parseMeminfo,
    parseLocalMounts,
  ];
  test.each(texts.map((parse) => ({ name: parse.name, parse })))('$name does not throw', ({ parse }) => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 500 }),
        (bytes) => void parse(Buffer.from(bytes).toString('latin1')),
      ),
    );
  });

  test.each([parseCmdline, parseEnviron, parseAuxv].map((parse) => ({ name: parse.name, parse })))(
    '$name does not throw',
    ({ parse }) => {
      fc.assert(fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => void parse(Buffer.from(bytes))));
    },
  );
});

describe('cmdline', () => {
  test.each([
    ['mysql -u root -psecret shop', 'mysql -u root -p[REDACTED] shop'],
    ['app --password x --port 3000', 'app --password [REDACTED] --port 3000'],
    ['env MYSQL_PWD=hidden mysql shop', 'env MYSQL_PWD=[REDACTED] mysql shop'],
    ['ssh -p22 host', 'ssh -p22 host'],
    ['sshpass -p x ssh -p 22 host', 'sshpass -p [REDACTED] ssh -p 22 host'],
    ['/usr/bin/sshpass -phunter ssh host', '/usr/bin/sshpass -p[REDACTED] ssh host'],
    ['mongosh -u me -p x shop', 'mongosh -u me -p [REDACTED] shop'],
    ['mongodump -px shop', 'mongodump -p[REDACTED] shop'],
    ['redis-cli -a x ping', 'redis-cli -a [REDACTED] ping'],
    ['mosquitto_sub -u me -P x -t topic', 'mosquitto_sub -u me -P [REDACTED] -t topic'],
    ['node server.js -p 3000', 'node server.js -p 3000'],
    ['mkdir -p secret', 'mkdir -p secret'],
    ['mysql -pSECRET shop', 'mysql -p[REDACTED] shop'],
    ['mysqlcheck -u root -pchangeme shop', 'mysqlcheck -u root -p[REDACTED] shop'],
    ['mysql -u root -p shop', 'mysql -u root -p shop'],
    ['docker run --name mysql -p3306:3306 mysql', 'docker run --name mysql -p3306:3306 mysql'],
    ['docker run --name mongo -p 27017:27017 mongo', 'docker run --name mongo -p 27017:27017 mongo'],
    ['curl -u user:pass https://host', 'curl -u user:[REDACTED] https://host'],
    ['curl -s -uuser:password https://host', 'curl -s -uuser:[REDACTED] https://host'],
    ['curl -su user:password https://host', 'curl -su user:[REDACTED] https://host'],
    ['curl --user user:password https://host', 'curl --user user:[REDACTED] https://host'],
    ['curl --user=user:password https://host', 'curl --user=user:[REDACTED] https://host'],
    ['curl -x p:1 --proxy-user user:x https://host', 'curl -x p:1 --proxy-user user:[REDACTED] https://host'],
    ['curl -u user https://host:8080/a', 'curl -u user https://host:8080/a'],
    ['curl -HUser-Agent:me https://host', 'curl -HUser-Agent:me https://host'],
    ['docker run -u 1000:1000 curl', 'docker run -u 1000:1000 curl'],
    ['smbclient -U user%pass //host/share', 'smbclient -U user%[REDACTED] //host/share'],
    ['smbclient //host/share -Uuser%password', 'smbclient //host/share -Uuser%[REDACTED]'],
    ['smbclient --user=user%password //host/a', 'smbclient --user=user%[REDACTED] //host/a'],
    ['smbclient -U user //host/100%', 'smbclient -U user //host/100%'],
    ['env PGPASSWORD=x psql -h db', 'env PGPASSWORD=[REDACTED] psql -h db'],
    ['env PGPASSWORD=changeme psql -p 5432', 'env PGPASSWORD=[REDACTED] psql -p 5432'],
    ['open https://host/cb?code=200&lang=en', 'open https://host/cb?code=200&lang=en'],
    [
      'open https://host/cb?code=8f3a9c2d1e4b7a60b5d1&state=1',
      'open https://host/cb?code=[REDACTED]&state=1',
    ],
  ])('of "%s", only the secret is masked: the rest still starts the program', (given, kept) => {
    expect(parseCmdline(Buffer.from(`${given.replaceAll(' ', '\0')}\0`)).join(' ')).toBe(kept);
  });

  test.each([
    ['MYSQL_PWD=x mysql -u root shop', 'MYSQL_PWD=[REDACTED] mysql -u root shop'],
    ["MYSQL_PWD='two words' mysql shop", 'MYSQL_PWD=[REDACTED] mysql shop'],
    ['cd /srv && sshpass -p x ssh -p 22 host', 'cd /srv && sshpass -p [REDACTED] ssh -p 22 host'],
    ['PATH=/bin:$PATH node server.js', 'PATH=/bin:$PATH node server.js'],
    ['PGPASSWORD=x psql -h db -p 5432', 'PGPASSWORD=[REDACTED] psql -h db -p 5432'],
    ['curl -u user:password https://host | sh', 'curl -u user:[REDACTED] https://host | sh'],
    ["curl -u 'user:two words' https://host", "curl -u 'user:[REDACTED]' https://host"],
    ['curl -u "$USER:$PASS" https://host', 'curl -u "$USER:$PASS" https://host'],
    ['mysql -pchangeme shop && node a.js -p 80', 'mysql -p[REDACTED] shop && node a.js -p 80'],
    ['mysql -p"$PASSWORD" shop', 'mysql -p"$PASSWORD" shop'],
    ['smbclient -U user%password //host/a', 'smbclient -U user%[REDACTED] //host/a'],
    ['sshpass -p $PASSWORD ssh host', 'sshpass -p $PASSWORD ssh host'],
  ])('in the script "%s", only the secret is masked', (script, kept) => {
    expect(parseCmdline(Buffer.from(`bash\0-c\0${script}\0`))).toEqual(['bash', '-c', kept]);
  });

  test('a password with spaces is masked completely', () => {
    const mask = (...args: string[]): string[] => parseCmdline(Buffer.from(`${args.join('\0')}\0`));
    expect(mask('curl', '-u', 'me:two words', 'https://host')).toEqual([
      'curl',
      '-u',
      'me:[REDACTED]',
      'https://host',
    ]);
    expect(mask('smbclient', '-Ume%two words', '//host/a')).toEqual([
      'smbclient',
      '-Ume%[REDACTED]',
      '//host/a',
    ]);
    expect(mask('mysql', '-ptwo words', 'shop')).toEqual(['mysql', '-p[REDACTED]', 'shop']);
  });

  test('arguments end in NUL bytes', () => {
    expect(parseCmdline(Buffer.from('node\0--flag\0\0'))).toEqual(['node', '--flag']);
    expect(parseCmdline(Buffer.from(''))).toEqual([]);
  });

  test('a megabyte of arguments is truncated with a note', () => {
    const args = parseCmdline(Buffer.from('x'.repeat(1_000_000)));
    expect(args.join(' ').length).toBeLessThan(COMMAND_CHARACTERS + 50);
    expect(args.at(-1)).toMatch(/…$/u);
    expect(parseCmdline(Buffer.from('ab\0'.repeat(100_000))).at(-1)).toMatch(/^… \(\d+ more\)$/u);
  });

  test('secrets are redacted', () => {
    expect(parseCmdline(Buffer.from('server\0--api-key=abcdef123456\0')).join(' ')).not.toContain('abcdef');
  });
});

describe('cgroup', () => {
  test('version 2 has one line', () => {
    expect(parseCgroup('0::/user.slice/user-1000.slice/session-3.scope\n')).toEqual({
      path: '/user.slice/user-1000.slice/session-3.scope',
      container: null,
    });
  });

  test('version 1 has many, of which systemd is preferred', () => {
    const text = '12:cpu,cpuacct:/system.slice\n1:name=systemd:/system.slice/app.service\n0::/\n';
    expect(parseCgroup(text).path).toBe('/system.slice/app.service');
  });

  test.each([
    ['0::/system.slice/docker-0123456789abcdef.scope', '0123456789abcdef'],
    ['5:memory:/docker/abcdef012345', 'abcdef012345'],
    [`0::/kubepods/besteffort/pod1/${'a'.repeat(64)}`, 'a'.repeat(64)],
    ['0::/machine.slice/libpod-77aa.scope/container', '77aa'],
    ['0::/user.slice', null],
  ])('finds the container in %s', (text, container) => {
    expect(parseCgroup(text).container).toBe(container);
  });
});

test('only variables of supervisors, runs and agents are stored', () => {
  const bytes = Buffer.from('AWS_SECRET_ACCESS_KEY=x\0DEED_RUN_ID=r1\0pm_id=3\0=odd\0PATH=/bin\0');
  expect(parseEnviron(bytes)).toEqual({ DEED_RUN_ID: 'r1', pm_id: '3' });
});

test('descriptors are classified', () => {
  expect(parseFdLink('pipe:[12]')).toEqual({ kind: 'pipe', inode: 12 });
  expect(parseFdLink('socket:[7]')).toEqual({ kind: 'socket', inode: 7 });
  expect(parseFdLink('/dev/null')).toEqual({ kind: 'null' });
  expect(parseFdLink('/dev/pts/3 (deleted)')).toEqual({
    kind: 'terminal',
    path: '/dev/pts/3',
    deleted: true,
  });
  expect(parseFdLink('/srv/a b (deleted)')).toEqual({ kind: 'file', path: '/srv/a b', deleted: true });
  expect(parseFdLink('/memfd:x (deleted)')).toEqual({ kind: 'other' });
  expect(parseFdLink('anon_inode:[eventpoll]')).toEqual({ kind: 'other' });
});

test('fdinfo has the offset, direction and locks', () => {
  const text = 'pos:\t4096\nflags:\t0102001\nmnt_id:\t29\nlock:\t1: FLOCK  ADVISORY  WRITE 7 fe:00:1 0 EOF\n';
  expect(parseFdinfo(text)).toEqual({
    offset: 4096,
    reads: false,
    writes: true,
    nonblocking: false,
    locks: 1,
    mountId: 29,
  });
  expect(parseFdinfo('pos:\t0\nflags:\t02004000\n')).toMatchObject({ reads: true, nonblocking: true });
});

test('only local filesystems are local mounts: an unreachable server would block', () => {
  const text = [
    '29 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
    '40 29 0:50 / /srv rw - nfs4 box:/srv rw',
    '41 29 0:51 / /home/a\\040b rw - fuse.sshfs x rw',
    '42 29 0:52 / /tmp rw - tmpfs tmpfs rw',
    'nonsense',
  ].join('\n');
  expect([...parseLocalMounts(text)]).toEqual([29, 42]);
});

test('a local socket whose other end was closed has lost a reference', () => {
  const text = `Num       RefCount Protocol Flags    Type St Inode Path
000000000001: 00000003 00000000 00000000 0001 03 100
000000000002: 00000002 00000000 00000000 0001 03 101
000000000003: 00000002 00000000 00010000 0001 01 102 /run/x.sock
000000000004: 00000002 00000000 00000000 0002 01 103
`;
  expect(parseNetUnix(text).map(({ inode, state }) => [inode, state])).toEqual([
    [100, 'connected'],
    [101, 'severed'],
    [102, 'listening'],
    [103, 'other'],
  ]);
});

test('connections and listening ports are read from the same table', () => {
  const text = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 555 1 0 100 0 0 10 0
   1: 0100007F:0BB8 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 556 1 0 20 4 30 10 -1
`;
  expect(parseNetTcp(text)).toEqual([
    {
      inode: 555,
      state: 'listening',
      local: '0100007F:0BB8',
      remote: '00000000:0000',
      localPort: 3000,
      remotePort: 0,
    },
    {
      inode: 556,
      state: 'established',
      local: '0100007F:0BB8',
      remote: '0100007F:D431',
      localPort: 3000,
      remotePort: 54_321,
    },
  ]);
});

test.each([
  ['proc /proc proc rw,nosuid 0 0\n', '0'],
  ['proc /proc proc rw,hidepid=2 0 0\n', '2'],
  ['proc /proc proc rw,hidepid=invisible 0 0\n', '2'],
  ['none /tmp tmpfs rw 0 0\n', 'unknown'],
])('hidepid of %j', (mounts, mode) => {
  expect(parseHidepid(mounts)).toBe(mode);
});
