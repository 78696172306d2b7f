import { startConversion, type ConversionApi } from '../support/api/conversion-client';
import { alice } from '../support/api/server';

/** Small bodies that hold up all other requests while they are parsed: too many names, values or levels. */
let service: ConversionApi;
beforeAll(async () => {
  service = await startConversion();
});
afterAll(() => service.close());

const repeat = (count: number, write: (index: number) => string) => Array.from({ length: count }, (_, index) => write(index)).join(); // prettier-ignore
const tooMany: [string, string, RegExp][] = [
  ['names', `{${repeat(60_000, (index) => `"n${index}":0`)}}`, /more than 50000 named members/],
  ['names that end in a backslash', `{${repeat(60_000, (index) => `"n${index}\\\\":0`)}}`, /50000 named members/],
  ['names with blanks before the colon', `{${repeat(60_000, (index) => `"n${index}" \n:0`)}}`, /50000 named members/],
  ['empty names', `{${repeat(60_000, () => '"":0')}}`, /50000 named members/],
  ['empty objects', `[${repeat(150_000, () => '{}')}]`, /more than 100000 values/],
  ['values in many lists', `[${repeat(50_000, () => '[0,0,0]')}]`, /more than 100000 values/],
  ['levels', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, /more than 64 levels/],
  ['levels of objects', `${'{"a":'.repeat(70)}0${'}'.repeat(70)}`, /more than 64 levels/],
  ['levels that never end', '[{"a":'.repeat(100_000), /more than 64 levels/],
];

/** Parsing such a body must not even begin. */
async function countParsed(act: () => Promise<unknown>): Promise<number> {
  const parse = jest.spyOn(JSON, 'parse');
  await act();
  const lengths = parse.mock.calls.map(([text]) => text.length);
  parse.mockRestore();
  return lengths.filter((length) => length > 1_000).length;
}

test.each(tooMany)('too many %s are refused before the body is parsed', async (_what, text, message) => {
  const paths = {
    '/api/v1/flows': `{"flow_name":"x","flow":[],"global_config":${text}}`,
    '/api/v1/documents/search': text,
    '/mcp': `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${text}}`,
    '/v1/convert/source/async': `{"sources":[],"options":${text}}`,
    '/v1/convert/source': text,
  };
  for (const [path, body] of Object.entries(paths)) {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${service.api.tokenOf(alice)}` };
    let answer = { path, status: 0, told: '' };
    const parsed = await countParsed(async () => {
      const reply = await fetch(`${service.api.url}${path}`, { method: 'POST', headers, body });
      answer = { path, status: reply.status, told: await reply.text() };
    });
    expect(answer).toEqual({ path, status: expect.any(Number), told: expect.stringMatching(message) });
    expect([400, 422]).toContain(answer.status);
    expect([path, parsed]).toEqual([path, 0]);
  }
});

test('texts that quote JSON do not count', async () => {
  const quoted = JSON.stringify({ text: '{"a":[1,2,3],"b\\":{}}'.repeat(60_000), end: '\\' });
  const body = { query: 'x', filters: { note: 'y' } };
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${service.api.tokenOf(alice)}` };
  const reply = await fetch(`${service.api.url}/api/v1/documents/search`, {
    method: 'POST',
    headers,
    body: `{"unknown":${quoted},${JSON.stringify(body).slice(1)}`,
  });
  expect(await reply.text()).not.toMatch(/levels|values together|named members/);
});
