import { nameAgent } from './agent';

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36 Edg/120.0',
    { program: 'Edge', system: 'Windows' },
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0', { program: 'Firefox', system: 'Linux' }],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/17.0 Safari/604.1',
    { program: 'Safari', system: 'iOS' },
  ],
  ['curl/8.5.0', { program: 'curl', system: '' }],
  ['', { program: '', system: '' }],
])('%s', (userAgent, named) => {
  expect(nameAgent(userAgent)).toEqual(named);
});
