import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGraphLoadCommand } from './load';

test('a failed load ends the process, which a connection without an answer to its handshake would keep', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'docloom-load-'));
  const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const graph = { nodes: [{ id: 'a', label: 'A' }], edges: [] };
    await writeFile(path.join(folder, 'graph.json'), JSON.stringify(graph));
    await createGraphLoadCommand().parseAsync([folder, '--uri', 'bolt://127.0.0.1:1'], { from: 'user' });
    expect(write.mock.calls.join('')).toContain('CONNECTION_ERROR');
    expect([process.exitCode, exit.mock.calls.length]).toEqual([1, 1]);
  } finally {
    process.exitCode = 0;
    exit.mockRestore();
    write.mockRestore();
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);
