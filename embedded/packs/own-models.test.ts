import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addOwnModel, checkOwnModel, listOwnModels } from './own-models';

let root: string;
let models: string;
const usable = () => Promise.resolve();
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'docloom-own-'));
  models = path.join(root, 'models');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>, place = path.join(root, 'hub')): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(place, name)), { recursive: true });
    writeFileSync(path.join(place, name), content);
  }
  return place;
}

const hub = { 'onnx/model.onnx': 'weights', 'tokenizer.json': '{}', 'config.json': '{}' };
const readme = '---\nlanguage: en\nlicense: apache-2.0\n---\n# A model\n';
const add = (from: string, name = 'team/cross', licence?: string) =>
  addOwnModel(models, { name, from, licence }, usable);

test('the files that a model needs are copied and described, with the licence of its description', async () => {
  const from = write({
    ...hub,
    'onnx/model.onnx_data': 'more',
    'README.md': readme,
    'pytorch_model.bin': 'x',
    'run.py': 'x',
  });
  await add(from);
  expect(listOwnModels(models)).toEqual([
    {
      name: 'team/cross',
      licence: 'apache-2.0',
      files: ['onnx/model.onnx', 'onnx/model.onnx_data', 'tokenizer.json', 'config.json', 'README.md'].map((to) => ({
        to,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        bytes: expect.any(Number) as number,
      })),
    },
  ]);
  const [model] = listOwnModels(models);
  expect(model && checkOwnModel(models, model)).toBe('installed');
  expect(existsSync(path.join(models, 'team', 'cross', 'run.py'))).toBe(false);
});

test('links are followed, as in the caches of model hubs', async () => {
  const from = write({ 'tokenizer.json': '{}', 'config.json': '{}' });
  write({ blob: 'weights' }, path.join(root, 'blobs'));
  symlinkSync('../blobs/blob', path.join(from, 'model_quantized.onnx'));
  await add(from, 'cross', 'MIT');
  rmSync(path.join(root, 'blobs'), { recursive: true });
  expect(listOwnModels(models).map((model) => [model.licence, checkOwnModel(models, model)])).toEqual([
    ['MIT', 'installed'],
  ]);
});

test.each<[string, (place: string) => void, string]>([
  ['changed', (place) => writeFileSync(path.join(place, 'onnx/model.onnx'), 'Weights'), 'another SHA-256'],
  ['longer', (place) => writeFileSync(path.join(place, 'tokenizer.json'), '{"a":1}'), '7 bytes instead of 2'],
  ['missing', (place) => rmSync(path.join(place, 'config.json')), 'config.json is missing'],
])('a file that is %s is reported', async (_name, damage, problem) => {
  await add(write(hub), 'cross', 'MIT');
  damage(path.join(models, 'cross'));
  expect(listOwnModels(models).map((model) => checkOwnModel(models, model))).toEqual([
    { problem: expect.stringContaining(problem) as string },
  ]);
});

test.each(['nothing', '[]', '{"files":3}', '{"files":[1]}', 'null'])('the manifest %j is reported', (content) => {
  write({ 'cross/manifest.json': content }, models);
  expect(listOwnModels(models).map((model) => checkOwnModel(models, model))).toEqual([
    { problem: expect.stringContaining('manifest.json') as string },
  ]);
});

test('a manifest cannot name files outside of its folder', () => {
  write({ 'cross/manifest.json': '{"files":[{"to":"../../secret","sha256":"","bytes":1}]}' }, models);
  expect(listOwnModels(models).map((model) => checkOwnModel(models, model))).toEqual([
    { problem: expect.stringContaining('not inside') as string },
  ]);
});

test.each<[string, string, Record<string, string>, RegExp, string | undefined]>([
  ['no licence', 'cross', hub, /states no licence.*--licence/, undefined],
  ['no model', 'cross', { 'tokenizer.json': '{}' }, /'cross' is not a pack, and there is no model in/, 'MIT'],
  ['a name that leads out', '../cross', hub, /not a name of a model/, 'MIT'],
  ['a hidden name', '.locks', hub, /not a name of a model/, 'MIT'],
  ['an absolute name', '/tmp/cross', hub, /not a name of a model/, 'MIT'],
  ['a name of three parts', 'a/b/c', hub, /not a name of a model/, 'MIT'],
])('with %s, nothing is added', async (_name, name, files, message, licence) => {
  await expect(add(write(files), name, licence)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringMatching(message) as string,
  });
  expect(listOwnModels(models)).toEqual([]);
});

test('a model that cannot be used leaves nothing behind, and one that exists is not replaced', async () => {
  const from = write(hub);
  const unusable = addOwnModel(models, { name: 'cross', from, licence: 'MIT' }, () => Promise.reject(new Error('no')));
  await expect(unusable).rejects.toThrow('no');
  expect(readdirSync(models)).toEqual(['.locks']);
  await add(from, 'cross', 'MIT');
  await expect(add(from, 'cross', 'MIT')).rejects.toThrow(/exists\. Remove it first: docloom models remove cross/);
});
