import { validateRedirect, addCode } from './redirect-after';

const check = (address: string) =>
  validateRedirect(address, 'https://docs.example', ['https://app.example', 'http://localhost:3000', '*']);

test.each([
  ['/home', 'https://docs.example/home'],
  ['https://docs.example/a?b=1', 'https://docs.example/a?b=1'],
  ['https://app.example/x#part', 'https://app.example/x#part'],
  ['http://localhost:3000', 'http://localhost:3000/'],
])('%s is allowed', (value, address) => {
  expect(check(value)).toBe(address);
});

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  'https://app.example.evil.example/',
  'https://app.example:8443/',
  'http://app.example/',
  'https://app.example@evil.example/',
  'https://me@app.example/',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:https://app.example/1',
  'http://',
])('%s is rejected', (value) => {
  const target = { type: 'parameter', name: 'redirect_after' };
  expect(() => check(value)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', details: { target } }));
});

test('the code replaces any other code, and nothing else changes', () => {
  expect(addCode('https://app.example/x?a=1&code=old#part', 'new')).toBe('https://app.example/x?a=1&code=new#part');
});
