import { startBolt } from '../../test/support/doubles/bolt';
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

describe('a server that stalls', () => {
  const limits = { connectMs: 400, batchMs: 400 };
  const steps = ['CONNECT', 'HELLO', 'BEGIN', 'RUN', 'PULL', 'COMMIT'] as const;

  test('is a server that loads in time if it does not', async () => {
    const server = await startBolt();
    try {
      expect(await loadIntoNeo4j({ uri: server.uri }, rows)).toEqual({ nodes: 1, relationships: 0 });
    } finally {
      server.close();
    }
  });

  test.each([...steps.map((step) => ({ step, drips: false })), { step: 'PULL' as const, drips: true }])(
    'at $step (drips: $drips) ends the load with CONNECTION_ERROR',
    async ({ step, drips }) => {
      const server = await startBolt(step, drips);
      try {
        await expect(loadIntoNeo4j({ uri: server.uri }, rows, undefined, limits)).rejects.toMatchObject({
          code: 'CONNECTION_ERROR',
          message: `The graph database at ${server.uri} cannot be reached: its answer was not complete within 0.4 s`,
        });
      } finally {
        server.close();
      }
    },
  );

  test.each(steps)('at %s does not hold a load that is cancelled', async (step) => {
    const server = await startBolt(step);
    const run = new AbortController();
    const timer = setTimeout(() => run.abort(new Error('the run was cancelled')), 300);
    try {
      await expect(loadIntoNeo4j({ uri: server.uri }, rows, run.signal)).rejects.toThrow('the run was cancelled');
    } finally {
      clearTimeout(timer);
      server.close();
    }
  });
});
