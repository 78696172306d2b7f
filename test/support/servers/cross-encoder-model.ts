import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createOnnxGraph, type OnnxGraph } from './onnx-graph';
import { buildWordPiece } from './onnx-model';

const specialTokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const unlimitedTokens = 1e30;

/** What a written model computes, and how its files differ from the usual ones. */
export interface CrossEncoderFiles {
  vocabulary: readonly string[];
  /**
   * `one`: the logit is the sum over all words of their count in the query times their count in the text. `two`: minus that sum, and
   * that sum. `three`: three such values, as a classifier has. `weights`: without types, the sum of the numbers of the words in the
   * vocabulary, from 1.
   */
  logits?: 'one' | 'two' | 'three' | 'weights';
  file?: string;
  maxTokens?: number;
  config?: object;
}

/** Writes a cross-encoder in the layout of model hubs, whose scores can be predicted. */
export function writeCrossEncoder(
  folder: string,
  { vocabulary, logits = 'one', file = 'model.onnx', maxTokens, config = {} }: CrossEncoderFiles,
): void {
  const words = [...specialTokens, ...vocabulary];
  const graph = createOnnxGraph();
  const dims = ['batch', 'tokens'];
  const ids = graph.input('input_ids', 'int64', dims);
  const mask = graph.apply('Cast', [graph.input('attention_mask', 'int64', dims)], { to: 1 });
  const score =
    logits === 'weights' ? sumWeights(graph, { ids, mask, words }) : countShared(graph, { ids, mask, words });
  const columns = {
    one: [score],
    weights: [score],
    two: [graph.apply('Neg', [score]), score],
    three: [score, score, score],
  };
  graph.output('logits', graph.apply('Concat', columns[logits], { axis: 1 }), 'float', [
    'batch',
    columns[logits].length,
  ]);
  graph.write(path.join(folder, file));
  mkdirSync(folder, { recursive: true });
  const json = (name: string, content: object) => writeFileSync(path.join(folder, name), JSON.stringify(content));
  json('config.json', {
    architectures: ['BertForSequenceClassification'],
    model_type: 'bert',
    max_position_embeddings: 512,
    pad_token_id: 0,
    type_vocab_size: 2,
    ...config,
  });
  json('tokenizer_config.json', { tokenizer_class: 'BertTokenizer', model_max_length: maxTokens ?? unlimitedTokens });
  json('tokenizer.json', buildPairTokenizer(words));
}

/** The definition of a tokenizer of whole words that joins a query and a text as BERT does. */
export function buildPairTokenizer(words: readonly string[]): object {
  const special = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const sequence = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
  return {
    version: '1.0',
    added_tokens: specialTokens.map((content, id) => ({
      ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
    })),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]', 0), sequence('A', 0), special('[SEP]', 0)],
      pair: [special('[CLS]', 0), sequence('A', 0), special('[SEP]', 0), sequence('B', 1), special('[SEP]', 1)],
      special_tokens: {},
    },
    decoder: null,
    model: buildWordPiece(words),
  };
}

interface Tokens {
  ids: string;
  mask: string;
  words: readonly string[];
}

function countShared(graph: OnnxGraph, { ids, mask, words }: Tokens): string {
  // One row per word; those of special tokens are zero.
  const rows = words.flatMap((_, word) =>
    words.map((_word, column) => (column === word && word >= specialTokens.length ? 1 : 0)),
  );
  const states = graph.apply('Gather', [graph.constant(rows, [words.length, words.length]), ids]);
  const inText = graph.apply('Cast', [graph.input('token_type_ids', 'int64', ['batch', 'tokens'])], { to: 1 });
  const inQuery = graph.apply('Sub', [graph.constant([1]), inText]);
  const count = (part: string) => {
    const share = graph.apply('Unsqueeze', [graph.apply('Mul', [part, mask]), graph.integers([2], [1])]);
    return graph.apply('ReduceSum', [graph.apply('Mul', [states, share]), graph.integers([1], [1])], { keepdims: 0 });
  };
  const shared = graph.apply('Mul', [count(inQuery), count(inText)]);
  return graph.apply('ReduceSum', [shared, graph.integers([1], [1])], { keepdims: 1 });
}

function sumWeights(graph: OnnxGraph, { ids, mask, words }: Tokens): string {
  const weights = words.map((_, word) => Math.max(0, word - specialTokens.length + 1));
  const values = graph.apply('Gather', [graph.constant(weights, [words.length]), ids]);
  return graph.apply('ReduceSum', [graph.apply('Mul', [values, mask]), graph.integers([1], [1])], { keepdims: 1 });
}
