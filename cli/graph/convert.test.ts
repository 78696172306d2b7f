import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigurationError } from '../../graph';
import { writePieces } from './files';
import { createGraphCommand } from './graph';
import { convertLarge, findLargeExport } from './large-export';

const graph = {
  nodes: [
    { id: 'a', label: 'Company', name: 'Acme' },
    { id: 'b', label: 'Person', name: 'Ann' },
  ],
  edges: [{ source: 'b', target: 'a', label: 'WORKS_AT', since: 2020 }],
  metadata: { node_count: 2, edge_count: 1 },
  graph: { format: 'v2' },
};

let folder: string;
const at = (...names: string[]) => path.join(folder, ...names);
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'docloom-convert-'));
  await writeFile(at('graph.json'), JSON.stringify(graph));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const convert = (...given: string[]) =>
  createGraphCommand().parseAsync(['convert', folder, '--json', ...given], { from: 'user' });

test('an export is written in other formats, in the same way for large and small exports', async () => {
  const write = process.stdout.write.bind(process.stdout);
  const printed: string[] = [];
  process.stdout.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  try {
    await convert('-o', at('small'), '--format', 'json', 'csv', 'cypher', 'html');
  } finally {
    process.stdout.write = write;
  }
  expect(JSON.parse(printed.join(''))).toMatchObject({ ok: true, files: expect.arrayContaining(['nodes.csv']) });
  const large = await findLargeExport(folder, 10);
  if (!large) throw new Error('the export counts as small');
  for (const [name, pieces] of convertLarge(large.stream, ['json', 'csv', 'cypher', 'html']))
    await writePieces(at('large', name), pieces);
  const names = (await readdir(at('large'))).toSorted();
  expect(names).toEqual(['edges.csv', 'graph.cypher', 'graph.html', 'graph.json', 'graph.merge.cypher', 'nodes.csv']);
  for (const name of names)
    expect([name, await readFile(at('large', name), 'utf8')]).toEqual([
      name,
      await readFile(at('small', name), 'utf8'),
    ]);
});

test('a small export is not a large one, and a large one is not converted to formats that need it whole', async () => {
  expect(await findLargeExport(folder)).toBeUndefined();
  const large = await findLargeExport(folder, 10);
  expect(() => convertLarge(large!.stream, ['json', 'turtle'])).toThrow(ConfigurationError);
});

test('a stream that fails leaves no file', async () => {
  await writeFile(at('broken.json'), '{"nodes": [{"id": 1}], "edges": [');
  const broken = await findLargeExport(at('broken.json'), 10);
  const [[name, pieces] = ['', []]] = convertLarge(broken!.stream, ['json']);
  await expect(writePieces(at('broken', name), pieces)).rejects.toThrow('Cannot read graph export');
  expect(await readdir(at('broken'))).toEqual([]);
});
