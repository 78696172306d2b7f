import type { LookupAddress, lookup as dnsLookup } from 'node:dns';
import { createAddressGuard } from './address-guard';

/** A resolver that knows these names only. */
function names(known: Record<string, string[]>): typeof dnsLookup {
  const resolve = (hostname: string, _: unknown, callback: (error: Error | null, addresses: LookupAddress[]) => void) =>
    callback(
      known[hostname] ? null : new Error('ENOTFOUND'),
      (known[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  return resolve as unknown as typeof dnsLookup;
}

function lookUp(guard: ReturnType<typeof createAddressGuard>, host: string, all = false) {
  return new Promise((resolve, reject) =>
    guard.lookup(host, { all }, (error, address) => (error ? reject(error) : resolve(address))),
  );
}

describe('an address guard without an allow-list', () => {
  const guard = createAddressGuard([]);
  test.each([
    '127.0.0.1',
    '127.8.9.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '[::1]',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
    '::ffff:0:10.0.0.1',
  ])('%s is refused', (host) => {
    expect(() => guard.check(host)).toThrow(
      expect.objectContaining({
        code: 'ADDRESS_NOT_ALLOWED',
        message: expect.stringContaining('DOCLOOM_ALLOWED_HOSTS'),
      }),
    );
  });

  test.each([
    '93.184.216.34',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '2606:2800:220:1::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    'example.org',
    'localhost',
  ])('%s is not refused before it is resolved', (host) => {
    expect(() => guard.check(host)).not.toThrow();
  });

  test('a name is refused when any of its addresses is private', async () => {
    const guard = createAddressGuard(
      [],
      names({ good: ['8.8.8.8'], evil: ['8.8.8.8', '127.0.0.1'], metadata: ['169.254.169.254'], six: ['::1'] }),
    );
    await expect(lookUp(guard, 'good')).resolves.toBe('8.8.8.8');
    await expect(lookUp(guard, 'good', true)).resolves.toEqual([{ address: '8.8.8.8', family: 4 }]);
    await expect(lookUp(guard, 'evil')).rejects.toMatchObject({
      code: 'ADDRESS_NOT_ALLOWED',
      message: expect.stringContaining("'evil' resolves to 127.0.0.1"),
    });
    await expect(lookUp(guard, 'metadata')).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    await expect(lookUp(guard, 'six')).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    await expect(lookUp(guard, 'unknown')).rejects.toThrow('ENOTFOUND');
  });
});

describe('an allow-list', () => {
  const guard = createAddressGuard(
    ['localhost', '10.1.0.0/16', 'FD00::5', 'models.internal'],
    names({ 'models.internal': ['192.168.7.7'], other: ['192.168.7.7'] }),
  );

  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.255.1', 'fd00::5'])('allows %s', (host) => {
    expect(() => guard.check(host)).not.toThrow();
  });

  test.each(['10.2.0.1', 'fd00::6', '192.168.7.7', '169.254.169.254'])('does not allow %s', (host) => {
    expect(() => guard.check(host)).toThrow(/private or reserved/);
  });

  test('a listed name may resolve to a private address, another name to the same address may not', async () => {
    await expect(lookUp(guard, 'models.internal')).resolves.toBe('192.168.7.7');
    await expect(lookUp(guard, 'other')).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  });

  test.each(['10.0.0.0/40', 'host/8'])('the entry %s is a configuration error', (entry) => {
    expect(() => createAddressGuard([entry])).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }));
  });
});
