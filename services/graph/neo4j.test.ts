import { loadIntoNeo4j } from './neo4j';

// The real server is that of scripts/graph-neo4j.js.
const rows = { nodes: [{ label: 'N', id: 'a', properties: {} }], edges: [] };

test('an address without a server is a CONNECTION_ERROR with the address', async () => {
  const loading = loadIntoNeo4j({ uri: 'bolt://127.0.0.1:1' }, rows);
  await expect(loading).rejects.toMatchObject({
    code: 'CONNECTION_ERROR',
    message: expect.stringContaining('bolt://127.0.0.1:1') as string,
  });
});

test('an address of no Bolt server is a VALIDATION_ERROR', async () => {
  await expect(loadIntoNeo4j({ uri: 'http://127.0.0.1' }, rows)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('a cancelled load sends no request', async () => {
  const loading = loadIntoNeo4j({ uri: 'bolt://127.0.0.1:1' }, rows, AbortSignal.abort());
  await expect(loading).rejects.toMatchObject({ name: 'AbortError' });
});
