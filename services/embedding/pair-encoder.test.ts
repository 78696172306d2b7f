import { Tokenizer } from '@huggingface/tokenizers';
import { buildPairTokenizer } from '../../test/support/servers/cross-encoder-model';
import { createPairEncoder } from './pair-encoder';

const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'tide', 'gauge', 'river', 'moon'];
const definition = buildPairTokenizer(words) as Record<string, unknown>;
const create = (changes: object = {}) => new Tokenizer({ ...definition, ...changes }, {});

test.each<[string, object]>([
  ['a template', {}],
  ['the form of BERT', { post_processor: { type: 'BertProcessing', cls: ['[CLS]', 2], sep: ['[SEP]', 3] } }],
  ['the form of RoBERTa', { post_processor: { type: 'RobertaProcessing', cls: ['[CLS]', 2], sep: ['[SEP]', 3] } }],
  ['nothing in between', { post_processor: null }],
])('pairs are joined as the tokenizer joins them: %s', (_name, changes) => {
  const tokenizer = create(changes);
  const { encode } = createPairEncoder(tokenizer, { maxTokens: 64 });
  const texts = ['moon over the river', 'tide', 'Gauge, gauge. [SEP] tide'];
  for (const [index, { ids, types }] of encode('tide gauge', texts).entries()) {
    const joined = tokenizer.encode('tide gauge', { text_pair: texts[index] ?? '', return_token_type_ids: true });
    expect(ids).toEqual(joined.ids);
    expect(types).toEqual(joined.token_type_ids ?? joined.ids.map(() => 0));
  }
});

test('an empty text has the special tokens around it', () => {
  const { encode } = createPairEncoder(create(), { maxTokens: 64 });
  expect(encode('tide', ['', ' \n'])).toEqual(Array(2).fill({ ids: [2, 4, 3, 3], types: [0, 0, 0, 1] }));
});

test('types stay below the number that the model has', () => {
  const { encode } = createPairEncoder(create(), { maxTokens: 64, types: 1 });
  expect(encode('tide', ['moon'])).toEqual([{ ids: [2, 4, 3, 7, 3], types: [0, 0, 0, 0, 0] }]);
});

test('the text is cut and the query is kept, unless it would leave too little to the text', () => {
  const { encode } = createPairEncoder(create(), { maxTokens: 512 });
  const lengths = (query: number, text: number) => {
    const [{ ids, types = [] } = { ids: [] }] = encode('tide '.repeat(query), ['moon '.repeat(text)]);
    return [ids.filter((id) => id === 4).length, ids.filter((id) => id === 7).length, ids.length, types.length];
  };
  expect(lengths(10, 2_000)).toEqual([10, 499, 512, 512]);
  expect(lengths(381, 2_000)).toEqual([381, 128, 512, 512]);
  expect(lengths(2_000, 2_000)).toEqual([381, 128, 512, 512]);
  expect(lengths(2_000, 5)).toEqual([381, 5, 389, 389]);
});

test.each<[string, object, number]>([
  ['drops the second text', { post_processor: { type: 'ByteLevel' } }, 64],
  ['has no word for any text', { model: { ...(definition['model'] as object), vocab: {}, unk_token: '' } }, 64],
  ['allows fewer tokens than a pair has', {}, 4],
])('a tokenizer that %s is rejected', (_name, changes, maxTokens) => {
  expect(() => createPairEncoder(create(changes), { maxTokens })).toThrow(
    expect.objectContaining({ code: 'RERANK_MODEL_INVALID' }),
  );
});
