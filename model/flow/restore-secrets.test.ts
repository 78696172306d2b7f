import { restoreSecrets } from './restore-secrets';
import { mask, maskSecrets } from './secrets';

const stored = {
  global_config: { llm: { api_key: 'k1' } },
  flow: [
    { name: 'a', config: { password: 'p1', url: 'mongodb://u:secret@host/db', list: ['x'] } },
    { name: 'b', config: { credentials: { user: 'u', tokens: ['t1', 't2'] } } },
  ],
};

test('a flow that is read and written back equals the stored flow', () => {
  expect(restoreSecrets(maskSecrets(stored), stored)).toEqual({ value: stored, lost: [] });
});

test('operators are matched by name in any order, and new values stay', () => {
  const input = {
    flow: [
      { name: 'b', config: { credentials: { user: mask, tokens: [mask, 'new'] } } },
      { name: 'a', config: { password: 'changed' } },
    ],
  };
  expect(restoreSecrets(input, stored).value.flow).toEqual([
    { name: 'b', config: { credentials: { user: 'u', tokens: ['t1', 'new'] } } },
    { name: 'a', config: { password: 'changed' } },
  ]);
});

test('a mask without a stored secret is recognized by its position', () => {
  const input = {
    flow: [
      { name: 'c', config: { password: mask } },
      { name: 'a', config: { 'x/y': mask, url: `mongodb://u:${mask}@other/db` } },
    ],
  };
  expect(restoreSecrets(input, stored).lost).toEqual([
    '/flow/0/config/password',
    '/flow/1/config/x~1y',
    '/flow/1/config/url',
  ]);
});

test('the password of an address is restored only for the same address', () => {
  const { value, lost } = restoreSecrets({ url: `s3://u:${mask}@evil/db` }, { url: 's3://u:secret@host/db' });
  expect(JSON.stringify(value)).not.toContain('secret');
  expect(lost).toEqual(['/url']);
});
