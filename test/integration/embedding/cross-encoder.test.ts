import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createReranker, type Reranker } from '../../../services/embedding/reranker';
import { getThreadFile } from '../../../threads/entries';
import {
  buildPairTokenizer,
  type CrossEncoderFiles,
  writeCrossEncoder,
} from '../../support/servers/cross-encoder-model';
import { writeTinyModel } from '../../support/servers/onnx-model';

const vocabulary = ['tide', 'gauge', 'river', 'moon'];
const never = new AbortController().signal;
const threadFile = getThreadFile('rerank', path.join(__dirname, '..', '..', '..', 'dist'));
let folder = '';
let elsewhere = '';
const opened: Reranker[] = [];
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cross-'));
  elsewhere = mkdtempSync(path.join(tmpdir(), 'elsewhere-'));
});
afterEach(() => Promise.all(opened.splice(0).map((reranker) => reranker.close())));
afterAll(() => [folder, elsewhere].forEach((place) => rmSync(place, { recursive: true, force: true })));

function write(name: string, files: Partial<CrossEncoderFiles> = {}): string {
  writeCrossEncoder(path.join(folder, name), { vocabulary, ...files });
  return path.join(folder, name);
}

function open(name: string, modelsFolder: string | undefined = folder): Reranker {
  const reranker = createReranker({ threadFile, place: { modelsFolder, name, threads: 2 } });
  opened.push(reranker);
  return reranker;
}

/** Replaces a file of a model by a link to a copy outside of the models folder. */
function linkElsewhere(place: string, file: string): void {
  const other = path.join(elsewhere, file);
  copyFileSync(path.join(place, file), other);
  rmSync(path.join(place, file));
  symlinkSync(other, path.join(place, file));
}

const score = (name: string, query: string, texts: readonly string[], signal = never) =>
  open(name).score({ username: 'anna', query, texts }, signal);

describe('a cross-encoder of the models folder', () => {
  test.each<[string, CrossEncoderFiles['logits'], number[]]>([
    ['one logit', 'one', [2, 0, 1, 0, 3]],
    ['two logits: their difference', 'two', [4, 0, 2, 0, 6]],
  ])('scores the text with the query: %s', async (_name, logits, expected) => {
    write('team/cross', { logits });
    // The texts have different lengths, so that most are padded. Unknown words count nothing.
    const texts = ['tide gauge', 'moon river moon', 'a gauge of the kind', '', 'Tide gauge gauge'];
    expect(await score('team/cross', 'tide gauge', texts)).toEqual(expected);
  });

  test('needs no types of tokens, and may be the quantized file in the folder onnx', async () => {
    write('plain', { logits: 'weights', file: 'onnx/model_quantized.onnx' });
    expect(await score('plain', 'tide', ['moon', 'gauge gauge'])).toEqual([1 + 4, 1 + 2 + 2]);
  });

  test('reads only the beginning of a long text, and the whole query', async () => {
    write('short', { maxTokens: 16 });
    const query = 'tide gauge river';
    const text = `${'moon '.repeat(9)} tide gauge`;
    // 16 tokens are three special ones, three of the query, and ten of the text.
    expect(
      await score('short', query, [text, `tide ${text}`, text.trim().split(/\s+/).toReversed().join(' ')]),
    ).toEqual([1, 1, 2]);
  });

  test('reads a long query as far as half of its tokens, so that the text counts', async () => {
    write('short', { maxTokens: 16 });
    expect(await score('short', `${'river '.repeat(40)} tide`, ['tide', 'river'])).toEqual([0, 7]);
  });

  test('gives a text the same score in every batch', async () => {
    write('cross');
    const texts = Array.from({ length: 70 }, (_, at) => `${'tide '.repeat(at % 7)} ${'moon '.repeat((at * 13) % 90)}`);
    expect(await score('cross', 'tide', texts)).toEqual(texts.map((_, at) => at % 7));
  });

  test('is read by its name below the folder of a link to the models folder', async () => {
    write('cross');
    symlinkSync(folder, `${folder}-link`);
    try {
      const reranker = open('cross', `${folder}-link`);
      expect(await reranker.score({ username: 'anna', query: 'tide', texts: ['tide'] }, never)).toEqual([1]);
    } finally {
      unlinkSync(`${folder}-link`);
    }
  });

  test.each<[string, (place: string) => void, string, RegExp]>([
    ['no model', (place) => rmSync(path.join(place, 'model.onnx')), 'LOCALMODEL_MODEL_NOT_FOUND', /no model 'broken'/],
    [
      'no tokenizer',
      (place) => rmSync(path.join(place, 'tokenizer.json')),
      'RERANK_MODEL_INVALID',
      /broken\/tokenizer.json is missing/,
    ],
    [
      'no configuration',
      (place) => rmSync(path.join(place, 'config.json')),
      'RERANK_MODEL_INVALID',
      /broken\/config.json is missing/,
    ],
    [
      'half a model',
      (place) => truncateSync(path.join(place, 'model.onnx'), 200),
      'RERANK_MODEL_INVALID',
      /broken\/model.onnx.*cannot be opened/,
    ],
    [
      'an empty model',
      (place) => truncateSync(path.join(place, 'model.onnx'), 0),
      'RERANK_MODEL_INVALID',
      /broken\/model.onnx.*cannot be opened/,
    ],
    [
      'a text as the model',
      (place) => writeFileSync(path.join(place, 'model.onnx'), 'version https://git-lfs.github.com/spec/v1'),
      'RERANK_MODEL_INVALID',
      /cannot be opened/,
    ],
    [
      'a model that is too large',
      (place) => truncateSync(path.join(place, 'model.onnx'), 1024 ** 3 + 1),
      'RERANK_MODEL_INVALID',
      /1025 MB; at most 1024 MB/,
    ],
    [
      'weights beside it that are too large',
      (place) => {
        writeFileSync(path.join(place, 'model.onnx_data'), '');
        truncateSync(path.join(place, 'model.onnx_data'), 1024 ** 3);
      },
      'RERANK_MODEL_INVALID',
      /at most 1024 MB/,
    ],
    [
      'a broken tokenizer',
      (place) => writeFileSync(path.join(place, 'tokenizer.json'), '{"model":'),
      'RERANK_MODEL_INVALID',
      /broken\/tokenizer.json/,
    ],
    [
      'a tokenizer of something else',
      (place) => writeFileSync(path.join(place, 'tokenizer.json'), '[]'),
      'RERANK_MODEL_INVALID',
      /cannot rerank/,
    ],
    [
      'an embedder',
      (place) => writeTinyModel(place, { vocabulary, dimension: 4 }),
      'RERANK_MODEL_INVALID',
      /does not say how a query and a text are joined|no cross-encoder/,
    ],
    [
      'a classifier of three classes',
      (place) => writeCrossEncoder(place, { vocabulary, logits: 'three' }),
      'RERANK_MODEL_INVALID',
      /perhaps an embedder.*2 × 3; expected 2 × 1 or 2 × 2/,
    ],
    [
      'an embedder whose tokenizer joins texts',
      (place) => {
        writeTinyModel(place, { vocabulary, dimension: 4 });
        rmSync(path.join(place, 'model.onnx'));
        writeFileSync(path.join(place, 'tokenizer.json'), JSON.stringify(buildPairTokenizer([...vocabulary])));
      },
      'RERANK_MODEL_INVALID',
      /no cross-encoder, perhaps an embedder.*'last_hidden_state' has the shape 2 × \d+ × 4/,
    ],
    [
      'a model linked from elsewhere',
      (place) => linkElsewhere(place, 'model.onnx'),
      'RERANK_MODEL_INVALID',
      /broken\/model.onnx is a link that leads out of the models folder/,
    ],
    [
      'a tokenizer linked from elsewhere',
      (place) => linkElsewhere(place, 'tokenizer.json'),
      'RERANK_MODEL_INVALID',
      /broken\/tokenizer.json is a link that leads out/,
    ],
    [
      'weights linked from elsewhere',
      (place) => symlinkSync('/etc/hostname', path.join(place, 'model.onnx_data')),
      'RERANK_MODEL_INVALID',
      /broken\/model.onnx_data is a link that leads out/,
    ],
    [
      'a link to nothing',
      (place) => {
        rmSync(path.join(place, 'config.json'));
        symlinkSync('gone.json', path.join(place, 'config.json'));
      },
      'RERANK_MODEL_INVALID',
      /broken\/config.json is missing/,
    ],
    [
      'a folder in the place of a file',
      (place) => {
        rmSync(path.join(place, 'tokenizer.json'));
        mkdirSync(path.join(place, 'tokenizer.json'));
      },
      'RERANK_MODEL_INVALID',
      /broken\/tokenizer.json.*EISDIR/,
    ],
    [
      'a tokenizer whose words the model does not have',
      (place) =>
        writeFileSync(
          path.join(place, 'tokenizer.json'),
          JSON.stringify(buildPairTokenizer(['[PAD]', '[UNK]', '[CLS]', '[SEP]', ...vocabulary, 'a', 'b', 'c'])),
        ),
      'RERANK_MODEL_INVALID',
      /cannot rerank: The model 'broken\/model.onnx' failed/,
    ],
    [
      'too few positions',
      (place) => writeCrossEncoder(place, { vocabulary, config: { max_position_embeddings: 4 } }),
      'RERANK_MODEL_INVALID',
      /no place for two texts/,
    ],
  ])('is rejected with %s', async (_name, damage, code, message) => {
    rmSync(path.join(folder, 'broken'), { recursive: true, force: true });
    damage(write('broken'));
    const failure = await score('broken', 'tide', ['tide']).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect((failure as Error).message).not.toContain(folder);
  });

  test.each(['../elsewhere', '..', '.', '', '/etc', 'team', 'absent', 'cross/../../x', 'cross\0'])(
    'is not found by the name %j',
    async (name) => {
      write('cross');
      await expect(score(name, 'tide', ['tide'])).rejects.toMatchObject({ code: 'LOCALMODEL_MODEL_NOT_FOUND' });
    },
  );

  test('is not found without a models folder', async () => {
    const reranker = createReranker({ threadFile, place: { modelsFolder: undefined, name: 'cross', threads: 1 } });
    opened.push(reranker);
    await expect(reranker.score({ username: 'anna', query: 'q', texts: ['t'] }, never)).rejects.toMatchObject({
      code: 'LOCALMODEL_MODEL_NOT_FOUND',
      message: expect.stringContaining('DOCLOOM_MODELS_FOLDER') as string,
    });
  });

  test('works after its folder was repaired, without a restart', async () => {
    const place = write('mended');
    const reranker = open('mended');
    const ask = () => reranker.score({ username: 'anna', query: 'tide', texts: ['tide'] }, never);
    rmSync(path.join(place, 'tokenizer.json'));
    await expect(ask()).rejects.toMatchObject({ code: 'RERANK_MODEL_INVALID' });
    write('mended');
    expect(await ask()).toEqual([1]);
  });

  test('stops soon after a search was cancelled, and scores the next one with the model that it has', async () => {
    const place = write('cross');
    const reranker = open('cross');
    const ask = (texts: readonly string[], signal = never) =>
      reranker.score({ username: 'anna', query: 'tide', texts }, signal);
    expect(await ask(['tide'])).toEqual([1]);
    // The model is in memory from now on.
    rmSync(place, { recursive: true, force: true });
    const caller = new AbortController();
    const scoring = ask(
      Array.from({ length: 1_000 }, () => 'moon '.repeat(300)),
      caller.signal,
    );
    const next = ask(['tide tide']);
    setTimeout(() => caller.abort(new Error('gone')), 20);
    await expect(scoring).rejects.toThrow('gone');
    expect(await next).toEqual([2]);
  });

  test('serves users in turn', async () => {
    write('cross');
    const reranker = open('cross');
    const done: string[] = [];
    const ask = async (username: string) => {
      await reranker.score({ username, query: 'tide', texts: ['moon '.repeat(400)] }, never);
      done.push(username);
    };
    await Promise.all([...Array.from({ length: 9 }, () => ask('many')), ask('one')]);
    expect(done.indexOf('one')).toBeLessThan(3);
  });
});
