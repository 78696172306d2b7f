import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';

/** The members of the ONNX format that a model of one node needs; numbers and names as in its specification. */
const format = `
  syntax = "proto3";
  message Tensor { repeated int64 dims = 1; int32 data_type = 2; string name = 8; bytes raw_data = 9; }
  message Node { repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4; }
  message Dimension { string dim_param = 2; }
  message FixedDimension { int64 dim_value = 1; }
  message Shape { repeated Dimension dim = 1; }
  message TensorType { int32 elem_type = 1; Shape shape = 2; }
  message Type { TensorType tensor_type = 1; }
  message ValueInfo { string name = 1; Type type = 2; }
  message Graph { repeated Node node = 1; string name = 2; repeated Tensor initializer = 5; repeated ValueInfo input = 11; repeated ValueInfo output = 12; }
  message Opset { string domain = 1; int64 version = 2; }
  message Model { int64 ir_version = 1; string producer_name = 2; Graph graph = 7; repeated Opset opset_import = 8; }
`;
const float = 1;
const int64 = 7;

/**
 * Writes a model in the layout of a models folder: its last hidden state is a table row per token, with orthogonal rows for
 * different words, so that the output is predictable.
 */
export function writeTinyModel(
  folder: string,
  { vocabulary, dimension }: { vocabulary: string[]; dimension: number },
): void {
  mkdirSync(path.join(folder, 'onnx'), { recursive: true });
  const words = ['[PAD]', '[UNK]', ...vocabulary];
  const table = new Float32Array(words.length * dimension);
  for (const index of words.keys()) table[index * dimension + (Math.max(0, index - 1) % dimension)] = 1;
  const value = (name: string, type: number, dims: string[]) => ({
    name,
    type: { tensorType: { elemType: type, shape: { dim: dims.map((dimParam) => ({ dimParam })) } } },
  });
  const { root } = protobuf.parse(format);
  const message = root.lookupType('Model');
  const bytes = message
    .encode(
      message.fromObject({
        irVersion: 8,
        producerName: 'docloom-test',
        opsetImport: [{ domain: '', version: 13 }],
        graph: {
          name: 'tiny',
          node: [
            { name: 'look-up', opType: 'Gather', input: ['table', 'input_ids'], output: ['last_hidden_state'] },
            // The runtime would leave out inputs that nothing reads.
            { name: 'pass', opType: 'Identity', input: ['attention_mask'], output: ['mask'] },
          ],
          initializer: [
            {
              name: 'table',
              dims: [words.length, dimension],
              dataType: float,
              rawData: new Uint8Array(table.buffer),
            },
          ],
          input: [value('input_ids', int64, ['batch', 'tokens']), value('attention_mask', int64, ['batch', 'tokens'])],
          output: [
            value('last_hidden_state', float, ['batch', 'tokens', 'hidden']),
            value('mask', int64, ['batch', 'tokens']),
          ],
        },
      }),
    )
    .finish();
  writeFileSync(path.join(folder, 'onnx', 'model.onnx'), bytes);
  const json = (name: string, content: object) => writeFileSync(path.join(folder, name), JSON.stringify(content));
  json('config.json', { model_type: 'bert', hidden_size: dimension, vocab_size: words.length });
  json('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    model_max_length: 512,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
  });
  json('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: buildWordPiece(words),
  });
}

/** The part of `tokenizer.json` that numbers whole words in the order of the list. */
export function buildWordPiece(words: readonly string[]): object {
  return {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(words.map((word, index) => [word, index])),
  };
}
