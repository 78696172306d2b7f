import { createClientAddress } from './client-address';

const behind = createClientAddress(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);

test.each([
  ['no header', '10.0.0.1', undefined, '10.0.0.1'],
  ['a proxy names the client', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['a chain of our proxies', '10.0.0.1', '198.51.100.1, 192.0.2.7', '198.51.100.1'],
  ['an entry that the client wrote itself', '10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  ['a stranger that claims to be a proxy', '198.51.100.9', '1.1.1.1', '198.51.100.9'],
  ['nonsense', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['ports and brackets', '10.0.0.1', '[2001:db8:1::5]:443, 10.1.1.1:80', '2001:db8:1::5'],
  ['a dual-stack socket', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
])('%s', (_name, socket, header, client) => {
  expect(behind(socket, header)).toBe(client);
});

test('without trusted proxies the header is ignored', () => {
  expect(createClientAddress([])('10.0.0.1', '198.51.100.1')).toBe('10.0.0.1');
});

test.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/x', '2001:db8::/129'])(
  'the entry %s is rejected',
  (entry) => {
    expect(() => createClientAddress([entry])).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(entry) }),
    );
  },
);
