import type { LookupAddress, lookup as dnsLookup } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { OwnServer } from '../../model/network-rules';
import { createAddressGuard, findRefusalReason } from './address-guard';
import { toPlainHost } from './addresses';

/** A resolver that knows these names only, and the spellings of numbers that the system's own understands. */
function names(known: Record<string, string[]>): typeof dnsLookup {
  const resolve = (hostname: string, _: unknown, callback: (error: Error | null, addresses: LookupAddress[]) => void) =>
    callback(
      known[hostname] ? null : new Error(`getaddrinfo ENOTFOUND ${hostname}`),
      (known[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  return resolve as unknown as typeof dnsLookup;
}

const nowhere = names({});
const refused = { code: 'ADDRESS_NOT_ALLOWED' };

/** Other notations of loopback and private addresses; the result of the URL parser decides. */
const spellings = [
  '127.0.0.1',
  '127.8.9.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0X7F.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '１２７.０.０.１',
  '127。0。0。1',
  '127．0．0．1',
  '①②⑦.0.0.1',
  '0',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '0xA9FEA9FE',
  '100.64.0.1',
  '100.100.100.200',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  '[::]',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '[0:0:0:0:0:0:0:0]',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'FD00:EC2::254',
  'ff02::1',
  '::ffff:127.0.0.1',
  '[::FFFF:127.0.0.1]',
  '::ffff:7f00:1',
  '::ffff:169.254.169.254',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::10.0.0.1',
  '2002:7f00:1::',
  '2001::1',
  '::ffff:0:10.0.0.1',
  '2606:2800::5efe:127.0.0.1',
  '3fff::1',
];

/** Why the guard refused, in the words for the log. */
const getReason = async (judging: Promise<unknown>) =>
  judging.then(
    () => undefined,
    (error: object) => findRefusalReason(error),
  );

describe('an address guard without an allow-list', () => {
  const guard = createAddressGuard([], nowhere);

  test.each(spellings)('%s is rejected', async (host) => {
    await expect(guard.judge(host, 80)).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(
        /^The host '[^']+' with port 80 is not allowed by this server's settings \(DOCLOOM_ALLOWED_HOSTS\)\.$/,
      ),
    });
    expect(await getReason(guard.judge(host, 80))).toMatch(/private or reserved.*entry \S+:80$/);
  });

  test.each([
    '93.184.216.34',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '2606:2800:220:1::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('%s is unchanged', async (host) => {
    expect(await guard.judge(host, 443)).toEqual([{ address: toPlainHost(host), family: isIP(host) }]);
  });

  test('a name is rejected if any of its addresses is private, and connects only to checked addresses', async () => {
    const known = {
      good: ['8.8.8.8', '2606:2800:220:1::1'],
      evil: ['8.8.8.8', '127.0.0.1'],
      metadata: ['169.254.169.254'],
      six: ['::1'],
      mapped: ['::ffff:10.0.0.7'],
      localhost: ['127.0.0.1', '::1'],
    };
    const guard = createAddressGuard([], names(known));
    expect(await guard.judge('good', 80)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:2800:220:1::1', family: 6 },
    ]);
    await expect(guard.judge('evil', 80)).rejects.toMatchObject({
      ...refused,
      message: expect.not.stringContaining('127.0.0.1'),
    });
    expect(await getReason(guard.judge('evil', 80))).toMatch(/^127\.0\.0\.1 is .*entry evil:80$/);
    for (const name of ['metadata', 'six', 'mapped', 'localhost', 'LOCALHOST', 'localhost.', 'Metadata..'])
      await expect(guard.judge(name, 80)).rejects.toMatchObject(refused);
    await expect(guard.judge('unknown', 80)).rejects.toThrow('ENOTFOUND');
  });

  test('a name that does not exist is a permanent error; a failed lookup or a listed name is temporary', async () => {
    const failing = (code: string) =>
      ((_name: string, _options: unknown, callback: (error: Error) => void) =>
        callback(Object.assign(new Error(`getaddrinfo ${code}`), { code }))) as unknown as typeof dnsLookup;
    const judge = (code: string) =>
      createAddressGuard(['models.internal:8000'], failing(code)).judge('Typo.example', 80);
    await expect(judge('ENOTFOUND')).rejects.toMatchObject({
      code: 'ADDRESS_INVALID',
      message: "The host 'Typo.example' does not exist: its name has no address.",
    });
    await expect(judge('EAI_AGAIN')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    const listed = createAddressGuard(['models.internal:8000'], failing('ENOTFOUND'));
    await expect(listed.judge('models.internal', 8000)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test.each([0, -1, 65_536, Number.NaN])('the port %d is a mistake', async (port) => {
    await expect(createAddressGuard([]).judge('8.8.8.8', port)).rejects.toMatchObject({ code: 'ADDRESS_INVALID' });
  });
});

describe('an allow-list', () => {
  const guard = createAddressGuard(
    ['localhost', '10.1.0.0/16', 'FD00::5', 'models.internal', '192.168.9.9:8000', '[fd00::7]:443', 'db.internal:9000'],
    names({
      'models.internal': ['192.168.7.7'],
      other: ['192.168.7.7'],
      'db.internal': ['10.9.9.9'],
      localhost: ['127.0.0.1'],
    }),
  );
  const passes = (host: string, port: number) =>
    guard.judge(host, port).then(
      () => true,
      (error: { code?: string }) => (error.code === 'ADDRESS_NOT_ALLOWED' ? false : Promise.reject(error)),
    );

  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.255.1', 'fd00::5', 'localhost.'])(
    'allows %s at every port',
    async (host) => expect(await passes(host, 4_711)).toBe(true),
  );

  test.each(['10.2.0.1', 'fd00::6', '192.168.7.7', '169.254.169.254'])('does not allow %s', async (host) =>
    expect(await passes(host, 80)).toBe(false),
  );

  test('a listed name may resolve to a private address, another name for the same address may not', async () => {
    expect(await guard.judge('Models.Internal', 80)).toEqual([{ address: '192.168.7.7', family: 4 }]);
    expect(await passes('other', 80)).toBe(false);
  });

  test.each([
    ['192.168.9.9', 8000],
    ['fd00::7', 443],
    ['db.internal', 9000],
  ])('an entry with a port allows %s at %d only', async (host, port) => {
    expect([await passes(host, port), await passes(host, port + 1)]).toEqual([true, false]);
  });

  test('an entry in another notation matches the same address', async () => {
    const spelt = createAddressGuard(['0x7f.1:8000', '[::ffff:10.0.0.5]:81'], nowhere);
    expect(await spelt.judge('127.0.0.1', 8_000)).toHaveLength(1);
    expect(await spelt.judge('10.0.0.5', 81)).toHaveLength(1);
    await expect(spelt.judge('127.0.0.1', 8_001)).rejects.toMatchObject(refused);
  });

  test.each([
    '10.0.0.0/40',
    'host/8',
    '10.0.0.0/x',
    'host:',
    'host:99999',
    'host:http',
    'user@host',
    '[::1',
    'a b',
    'http://host:80',
    '[fd00::]/8',
  ])('the entry %s is a configuration error', (entry) => {
    expect(() => createAddressGuard([entry])).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }));
  });
});

describe('the servers of an installation', () => {
  const own: OwnServer[] = [
    { host: '127.0.0.1', port: 9200 },
    { host: 'mongo.internal', port: 27_017 },
    { host: '8.8.4.4', port: 389 },
    { host: 's3.example', port: 443, onlyPrivate: true },
  ];
  const rules = { allowed: ['localhost', '0.0.0.0', '10.0.0.0/8', 'alias', '::', '192.168.0.0/16'], own };
  const known = {
    'mongo.internal': ['10.0.0.4'],
    alias: ['10.0.0.4', '127.0.0.1'],
    localhost: ['127.0.0.1', '::1'],
    's3.example': ['8.8.8.8'],
  };
  const guard = createAddressGuard(rules, names(known));
  const ownServer = 'it is a server of this installation, which no entry can allow';

  test.each(['127.0.0.1', 'localhost', '127.9.9.9', '::1', '0.0.0.0', '::', '::ffff:127.0.0.1', '2130706433', 'alias'])(
    'are not reached as %s, whatever is allowed',
    async (host) => {
      expect(await getReason(guard.judge(host, 9200))).toBe(ownServer);
      expect(await guard.judge(host, 9201)).not.toHaveLength(0);
    },
  );

  test('are not reached by the addresses of the interfaces of this machine', async () => {
    const here = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
    const all = createAddressGuard({ allowed: ['0.0.0.0/0', '::/0'], own }, nowhere);
    for (const address of here) expect(await getReason(all.judge(address, 9200))).toBe(ownServer);
    expect(here.length).toBeGreaterThan(0);
  });

  test('are not reachable by another name or address', async () => {
    for (const host of ['10.0.0.4', 'mongo.internal', 'alias', '::ffff:10.0.0.4'])
      expect(
        await getReason(
          createAddressGuard({ allowed: [...rules.allowed, 'mongo.internal'], own }, names(known)).judge(host, 27_017),
        ),
      ).toBe(ownServer);
    expect(await guard.judge('10.0.0.5', 27_017)).toHaveLength(1);
  });

  test('are not revealed to those who may not reach private addresses', async () => {
    expect(await getReason(guard.judge('8.8.4.4', 389))).toBe(ownServer);
    expect(await guard.judge('s3.example', 443)).toEqual([{ address: '8.8.8.8', family: 4 }]);
    const moved = createAddressGuard(rules, names({ ...known, 's3.example': ['10.0.0.9'] }));
    expect(await getReason(moved.judge('10.0.0.9', 443))).toBe(ownServer);
  });

  test('are hidden from users who may not reach private addresses at all', async () => {
    const strict = createAddressGuard({ allowed: [], own }, names(known));
    const told = async (port: number) => {
      const refusal = await strict.judge('127.0.0.1', port).catch((error: Error) => error.message);
      return JSON.stringify(refusal).replaceAll(String(port), 'P');
    };
    expect(await told(9200)).toBe(await told(9201));
  });
});
