import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getBuiltinEmbedding } from './builtin';
import { splitBatches, splitTurns } from './onnx';

describe('batches', () => {
  const inputs = (...lengths: number[]) => lengths.map((length) => Array.from({ length }, () => 1));

  test('contain every input once, with inputs of similar length together', () => {
    const batches = splitBatches(inputs(5, 200, 6, 5, 190), 32);
    expect(batches.flat().toSorted((batch, other) => batch - other)).toEqual([0, 1, 2, 3, 4]);
    expect(batches).toContainEqual([2, 0, 3]);
  });

  test('stay within the limits of texts and tokens, padding included; a long text has its own batch', () => {
    expect(splitBatches(inputs(2, 2, 2), 2)).toEqual([[0, 1], [2]]);
    expect(splitBatches(inputs(500, 500, 128, 128, 128), 32)).toEqual([[0], [1], [2, 3], [4]]);
  });
});

test('texts are encoded in turns of limited length, so that heartbeats are sent in between', () => {
  const texts = Array.from({ length: 100 }, (_, index) => String(index).padEnd(900, ' word'));
  const turns = [...splitTurns(texts)];
  expect(turns.flat()).toEqual(texts);
  for (const turn of turns) expect(turn.slice(0, -1).join('').length).toBeLessThan(20_000);
  expect(turns.length).toBe(5);
  expect([...splitTurns(['x'.repeat(50_000), 'y'])]).toEqual([['x'.repeat(50_000)], ['y']]);
  expect([...splitTurns([])]).toEqual([]);
});

describe('the built-in embedder', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'docloom-builtin-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const install = (name: string) => {
    mkdirSync(path.join(folder, name, 'onnx'), { recursive: true });
    writeFileSync(path.join(folder, name, 'onnx', 'model.onnx'), '');
  };

  test('is hashing if no pack is installed', () => {
    expect(getBuiltinEmbedding(undefined)).toEqual({ type: 'hashing' });
    expect(getBuiltinEmbedding(folder)).toEqual({ type: 'hashing' });
  });

  test('is the first installed pack of the manifest', () => {
    install('all-MiniLM-L6-v2');
    expect(getBuiltinEmbedding(folder)).toEqual({ type: 'onnx', model_id: 'all-MiniLM-L6-v2' });
    install('bge-small-en-v1.5');
    expect(getBuiltinEmbedding(folder)).toEqual({ type: 'onnx', model_id: 'bge-small-en-v1.5' });
  });
});
