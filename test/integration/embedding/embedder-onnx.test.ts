import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createOnnxEmbedder } from '../../../services/embedding/onnx';
import { writeTinyModel } from '../../support/servers/onnx-model';

const never = new AbortController().signal;
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'onnx-'));
  writeTinyModel(path.join(folder, 'team', 'tiny'), { vocabulary: ['red', 'green', 'blue'], dimension: 4 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a model of the models folder', () => {
  // The runtime checks its arrays against the classes of the main realm, which jest does not run tests in.
  test('returns vectors of length 1, similar for similar texts, independent of the batch', async () => {
    const script = `
      const { createOnnxEmbedder } = require(${JSON.stringify(path.join(__dirname, '..', '..', '..', 'dist', 'services', 'embedding', 'onnx.js'))});
      const never = new AbortController().signal;
      createOnnxEmbedder(${JSON.stringify(folder)})
        .embed(['red', 'red red', 'green blue', 'red green blue red'], { model_id: 'team/tiny', batch_size: 3 }, never, () => {})
        .then((vectors) => console.log(JSON.stringify(vectors)));
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
    const vectors = JSON.parse(stdout) as number[][];
    expect(vectors).toHaveLength(4);
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    const cosine = (candidate = 0, other = 0) =>
      (vectors[candidate] ?? []).reduce((sum, value, index) => sum + value * (vectors[other]?.[index] ?? 0), 0);
    expect(cosine(0, 1)).toBeCloseTo(1, 5);
    expect(cosine(0, 2)).toBeLessThan(0.5);
    expect(cosine(0, 3)).toBeGreaterThan(cosine(0, 2));
  }, 30_000);

  test('adds its prefix to queries, and splits a long text into pieces that the model accepts', async () => {
    const place = path.join(folder, 'team', 'asks');
    writeTinyModel(place, { vocabulary: ['red', 'green', 'blue'], dimension: 4 });
    writeFileSync(
      path.join(place, 'config_sentence_transformers.json'),
      JSON.stringify({ prompts: { query: 'green ', document: '' } }),
    );
    writeFileSync(path.join(place, 'tokenizer_config.json'), JSON.stringify({ model_max_length: 16 }));
    const script = `
      const { createOnnxEmbedder } = require(${JSON.stringify(path.join(__dirname, '..', '..', '..', 'dist', 'services', 'embedding', 'onnx.js'))});
      const never = new AbortController().signal;
      const embedder = createOnnxEmbedder(${JSON.stringify(folder)});
      const of = (text, purpose) => embedder.embed([text], { model_id: 'team/asks', purpose }, never).then(([vector]) => vector);
      Promise.all([of('red', 'query'), of('red green'), of('red '.repeat(300) + 'blue '.repeat(300)), of('')])
        .then((vectors) => console.log(JSON.stringify(vectors)));
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
    const [requests = [], plain = [], long = [], empty = []] = JSON.parse(stdout) as number[][];
    expect(requests).toEqual(plain);
    // Half of the text is far beyond the limit of the model and still counts.
    const [, red = 0, , blue = 0] = [0, ...long];
    expect(Math.abs(red - blue)).toBeLessThan(0.1);
    expect(Math.hypot(...long)).toBeCloseTo(1, 5);
    expect(empty).toHaveLength(4);
  }, 30_000);

  test.each([
    ['that is missing', 'team/other', 'LOCALMODEL_MODEL_NOT_FOUND', 'team/other/onnx/model.onnx'],
    ['outside of the folder', '../x', 'LOCALMODEL_MODEL_NOT_FOUND', "'../x'"],
  ])('%s is rejected', async (_name, model_id, code, message) => {
    await expect(createOnnxEmbedder(folder).embed(['a'], { model_id }, never, () => undefined)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test('without a folder or a name is a configuration error', async () => {
    await expect(
      createOnnxEmbedder(undefined).embed(['a'], { model_id: 'm' }, never, () => undefined),
    ).rejects.toMatchObject({ code: 'OPERATOR_CONFIGURATION_INVALID' });
    await expect(createOnnxEmbedder(folder).embed(['a'], {}, never, () => undefined)).rejects.toMatchObject({
      code: 'OPERATOR_CONFIGURATION_INVALID',
    });
  });
});
