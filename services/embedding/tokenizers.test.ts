import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundledTokenizer, createTokenizers } from './tokenizers';

const folder = mkdtempSync(path.join(tmpdir(), 'tokenizers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A word-piece tokenizer of a few words. */
const definition = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: null,
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: { '[UNK]': 0, play: 1, '##ing': 2, '##ed': 3, the: 4, game: 5 },
  },
};
function write(name: string, files: Record<string, unknown>): void {
  mkdirSync(path.join(folder, name), { recursive: true });
  for (const [file, content] of Object.entries(files))
    writeFileSync(path.join(folder, name, file), typeof content === 'string' ? content : JSON.stringify(content));
}

describe('createTokenizers', () => {
  test('a tokenizer.json of the models folder counts like its model', async () => {
    write('team/word-pieces', {
      'tokenizer.json': definition,
      'tokenizer_config.json': { tokenizer_class: 'BertTokenizer', model_max_length: 1e30 },
      'sentence_bert_config.json': { max_seq_length: 128 },
    });
    const tokenizer = await createTokenizers({ modelsFolder: folder }).load('team/word-pieces');
    expect(tokenizer).toMatchObject({ name: 'team/word-pieces', maxTokens: 128 });
    expect(tokenizer.count('Playing the game')).toBe(4);
  });

  test('an unknown tokenizer is replaced by the bundled one, with a warning; the limit of a known model stays', async () => {
    const tokenizers = createTokenizers({ modelsFolder: folder });
    const unknown = await tokenizers.load('team/nothing');
    expect(unknown).toMatchObject({ name: bundledTokenizer, maxTokens: 512 });
    expect(unknown.count('Hello, world')).toBe(3);
    expect(
      await createTokenizers({ modelsFolder: undefined }).load('sentence-transformers/all-MiniLM-L6-v2'),
    ).toMatchObject({
      name: bundledTokenizer,
      maxTokens: 256,
    });
  });

  test('a name cannot leave the models folder', async () => {
    write('outside', { 'tokenizer.json': definition });
    mkdirSync(path.join(folder, 'inner'), { recursive: true });
    const tokenizer = await createTokenizers({ modelsFolder: path.join(folder, 'inner') }).load('../outside');
    expect(tokenizer.name).toBe(bundledTokenizer);
  });

  test('a damaged file is an error with its name', async () => {
    write('team/damaged', { 'tokenizer.json': '{' });
    await expect(createTokenizers({ modelsFolder: folder }).load('team/damaged')).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('damaged'),
    });
  });

  test('special tokens in a text are text, and long runs are fast', async () => {
    const tokenizer = await createTokenizers({ modelsFolder: undefined }).load('any');
    expect(tokenizer.count('<|endoftext|>')).toBeGreaterThan(1);
    const start = performance.now();
    for (const sign of ['a', '你', ' ', '=']) tokenizer.count(sign.repeat(200_000));
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
