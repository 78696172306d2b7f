import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import type { DoubleRequest } from '../../support/doubles/double-server';
import { type GraphDouble, startGraph } from '../../support/doubles/graph';
import { withParams } from '../../support/sources/fixture';
import { graphConfig } from '../../support/sources/sharepoint';

/** Of what a server answers the account of a connection, the user of the connection sees only the error code. */
let graph: GraphDouble;
beforeAll(async () => {
  graph = await startGraph();
  graph.put('there/secret.md', 'the canary');
});
afterAll(() => graph.stop());

const never = new AbortController().signal;
const site = (name: string) => ({ site: `contoso.sharepoint.example:/sites/${name}` });
const user = (name: string) => ({ user: `${name}@example.org`, site: undefined, document_library: undefined });

/** The error of a listing, with the requests that it took. */
async function listPlace(params: object) {
  const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });
  graph.server.asked.length = 0;
  try {
    for await (const _entry of sources.list('sharepoint', withParams(graphConfig(graph), { ...params }), never));
  } catch (error) {
    return { error, requests: graph.server.asked.length };
  }
  throw new Error('The place was listed.');
}

function forbid(part: string) {
  graph.server.override(({ url }: DoubleRequest) =>
    decodeURIComponent(url.pathname).includes(part)
      ? { status: 403, body: { error: { code: 'accessDenied', message: 'secret.md in there' } } }
      : undefined,
  );
}

test.each([
  ['folder', { folder: 'none' }, { folder: 'there' }, '/root:'],
  ['site', site('none'), site('legal'), '/sites/'],
  ['drive of a user', user('none'), user('erika'), '/users/'],
])(
  'a missing %s and one that is closed to the account take the same requests',
  async (_what, missing, closed, part) => {
    graph.server.override(undefined);
    const absent = await listPlace(missing);
    expect(absent.error).toMatchObject({ code: 'SOURCE_NOT_FOUND' });
    forbid(part);
    const refused = await listPlace(closed);
    expect(refused.error).toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
    expect(refused.requests).toBe(absent.requests);
    expect(String(refused.error)).not.toMatch(/secret|there/);
  },
);

test('a closed place is answered alike, whether it exists or not', async () => {
  forbid('/root:');
  const [there, none] = [await listPlace({ folder: 'there' }), await listPlace({ folder: 'none' })];
  expect(there).toEqual(none);
});
