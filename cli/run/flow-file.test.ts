import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readFlowFile } from './flow-file';

const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-flow-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(text: string): string {
  const file = path.join(folder, 'flow.json');
  writeFileSync(file, text);
  return file;
}

test('relative paths of a source are resolved against the folder of the file in every setting', async () => {
  const config = {
    paths: 'a',
    connection_params: { paths: ['b', '/c'], recursive: true },
    provider_config: { root_path: '../d' },
  };
  const flow = await readFlowFile(
    write(JSON.stringify({ flow_name: 'f', flow: [{ type: 'ingest_source', name: 'in', config }] })),
  );
  expect(flow.flow[0]?.config).toEqual({
    paths: path.join(folder, 'a'),
    connection_params: { paths: [path.join(folder, 'b'), '/c'], recursive: true },
    provider_config: { root_path: path.join(folder, '..', 'd') },
  });
});

test('paths of other operators stay as they are', async () => {
  const flow = await readFlowFile(
    write(JSON.stringify({ flow_name: 'f', flow: [{ type: 'chunker', name: 'c', config: { paths: 'a' } }] })),
  );
  expect(flow.flow[0]?.config).toEqual({ paths: 'a' });
});

test('a byte order mark is ignored', async () => {
  expect((await readFlowFile(write('\uFEFF{"flow_name":"f","flow":[{"type":"t","name":"n"}]}'))).flow_name).toBe('f');
});

test.each([
  ['broken JSON', '{\n  "flow_name": x\n}', /is not JSON/],
  ['a flow without operators', '{"flow_name":"f","flow":[]}', /\/flow must not be empty/],
  ['a list', '[]', /is a list: expected a JSON object with the members `flow_name` and `flow`/],
  ['nothing', ' ', /is empty: expected a JSON object/],
])('%s is FLOW_INVALID_DATA with the position', async (_name, text, message) => {
  await expect(readFlowFile(write(text))).rejects.toMatchObject({
    code: 'FLOW_INVALID_DATA',
    message: expect.stringMatching(message),
  });
});

test.each([
  ['a missing file', 'FLOW_NOT_FOUND', 'nowhere.json'],
  ['a folder', 'FLOW_INVALID_DATA', '.'],
])('%s is %s and names the file', async (_name, code, name) => {
  const file = path.join(folder, name);
  await expect(readFlowFile(file)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(file),
  });
});
