import { type Static, Type } from '@sinclair/typebox';
import { breakpointKinds, defaultBreakpointAmounts } from '../../document/chunk-semantic';
import type { OperatorDefinition, OperatorProblem } from '../../model/operator';
import { embeddings } from '../embeddings/schema';

export const defaultChunkSize = 2_048;
const defaultChunkOverlap = 200;
const chunkTypes = ['simple', 'semantic', 'hybrid'] as const;
const sizes = { minimum: 50, maximum: 100_000 };
/** Read for hybrid chunks, where nothing else is named. */
export const defaultTokenizer = 'sentence-transformers/all-MiniLM-L6-v2';
export const defaultImagePlaceholder = '![IMAGE]';

export const config = Type.Object(
  {
    chunk_type: Type.Optional(
      Type.Union(
        chunkTypes.map((type) => Type.Literal(type)),
        {
          default: 'simple',
          description:
            '`simple` cuts by characters at paragraphs, lines, sentences and blanks. `hybrid` follows the structure of the document and counts tokens. `semantic` cuts where the meaning changes from sentence to sentence, as told by `embeddings`.',
        },
      ),
    ),
    chunk_size: Type.Optional(
      Type.Integer({
        ...sizes,
        // No schema default: it would be filled in for `hybrid`, where it depends on the tokenizer.
        description: `Most characters (UTF-16 code units) of a chunk, ${defaultChunkSize} by default; with \`hybrid\` most tokens, by default as many as the model of the tokenizer takes.`,
      }),
    ),
    chunk_overlap: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: `Most characters that a chunk shares with the one before; less than chunk_size. Default ${defaultChunkOverlap}, or a tenth of a chunk_size that is not twice as large.`,
      }),
    ),
    tokenizer: Type.Optional(
      Type.String({
        description: `hybrid: whose tokens are counted; a folder of that name in the models folder, else the bundled tokenizer counts and a warning says so. Default ${defaultTokenizer}.`,
      }),
    ),
    docling_tokenizer: Type.Optional(Type.String({ description: 'Another name of `tokenizer`.' })),
    merge_peers: Type.Optional(
      Type.Boolean({ default: true, description: 'hybrid: puts small neighbours under the same headings together.' }),
    ),
    use_markdown_tables: Type.Optional(
      Type.Boolean({ default: false, description: 'hybrid: tables as Markdown instead of "row, column = value".' }),
    ),
    use_markdown_images: Type.Optional(
      Type.Boolean({ default: false, description: 'hybrid: pictures show a placeholder beside their caption.' }),
    ),
    image_placeholder: Type.Optional(
      Type.String({ default: defaultImagePlaceholder, description: 'hybrid: what stands for a picture.' }),
    ),
    contextualize: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'hybrid: the headings above a chunk stand before its text, a line each, as embeddings need them.',
      }),
    ),
    embeddings: Type.Optional(
      Type.Object(
        {
          type: Type.Optional(Type.String({ description: 'As of the operator embeddings.' })),
          provider: Type.Optional(Type.String({ description: 'Another name of `type`.' })),
          provider_config: Type.Optional(
            Type.Object({}, { additionalProperties: true, description: 'As of the operator embeddings.' }),
          ),
        },
        {
          additionalProperties: Type.Unknown(),
          description: 'semantic: what makes the vectors of sentences, configured as the operator embeddings is.',
        },
      ),
    ),
    semantic_embeddings_model: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'semantic: short for `embeddings` with a `local_api` model of this name.',
      }),
    ),
    provider_config: Type.Optional(
      Type.Object(
        { host: Type.Optional(Type.String({ description: 'Address of the host of `semantic_embeddings_model`.' })) },
        { additionalProperties: Type.Unknown(), description: 'semantic: settings of `semantic_embeddings_model`.' },
      ),
    ),
    breakpoint_threshold_type: Type.Optional(
      Type.Union(
        breakpointKinds.map((kind) => Type.Literal(kind)),
        {
          default: 'percentile',
          description:
            'semantic: how far apart neighbours must be for a chunk to end. `percentile` of all distances, `standard_deviation` and `interquartile`: so many times that above the mean, `gradient`: percentile of the change of distances.',
        },
      ),
    ),
    breakpoint_threshold_amount: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: `semantic: the percentile, or the multiple. Default by kind: ${breakpointKinds.map((kind) => `${kind} ${defaultBreakpointAmounts[kind]}`).join(', ')}.`,
      }),
    ),
    sentence_buffer: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        default: 1,
        description: 'semantic: neighbours on each side that a sentence is embedded with.',
      }),
    ),
    retain_original_content: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Read for compatibility. `content` of a chunk row is the chunk; the whole text stays in the table of the operator before.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type ChunkerConfig = Static<typeof config>;

/** The overlap of a configuration; the default gives way to a small chunk size. */
export function overlapOf({ chunk_size = defaultChunkSize, chunk_overlap }: ChunkerConfig): number {
  return chunk_overlap ?? (chunk_size > 2 * defaultChunkOverlap ? defaultChunkOverlap : Math.floor(chunk_size / 10));
}

/** The configuration of the embedder of semantic chunks: `embeddings`, or what its short form stands for. */
export function semanticEmbeddings(config: Record<string, unknown>): Record<string, unknown> {
  const { embeddings: own, semantic_embeddings_model: model, provider_config: settings } = config;
  if (own !== undefined || model === undefined) return (own ?? {}) as Record<string, unknown>;
  const { host, ...rest } = (settings ?? {}) as Record<string, unknown>;
  return {
    type: 'local_api',
    provider_config: { ...rest, model_id: model, ...(host === undefined ? {} : { api_base: host }) },
  };
}

export const chunker = {
  name: 'chunker',
  label: 'Chunker',
  category: 'Functional',
  scope: 'row',
  queue: 'cpu',
  needs: ['files', 'tokenizers', 'embedder'],
  reads: ['content'],
  writes: ['document_id', 'chunk_index', 'start_index', 'headings', 'page_numbers', 'bbox', 'num_tokens', 'doc_items'],
  columns: {
    num_tokens: {
      type: 'int32',
      description: 'Tokens of the chunk with its headings; hybrid chunks only.',
      indexed: false,
    },
    doc_items: {
      type: 'list',
      description: 'References of the items of the full document that the chunk is made of; hybrid chunks only.',
      indexed: false,
    },
  },
  config,
  summary: 'Cuts documents into chunks, with their offsets, headings, pages and boxes.',
  validate,
} as const satisfies OperatorDefinition;

function validate(given: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  const {
    chunk_type: type = 'simple',
    chunk_size: size = defaultChunkSize,
    chunk_overlap: overlap,
    retain_original_content: retain,
  } = given;
  const problems: OperatorProblem[] = [];
  const error = (messageCode: string, message: string, pointer: string) =>
    problems.push({ severity: 'error', messageCode, message, pointer });
  if (!chunkTypes.includes(type as (typeof chunkTypes)[number])) {
    error(
      'CHUNKER_INVALID_CHUNK_TYPE',
      `chunk_type is ${JSON.stringify(type)}; it must be one of ${chunkTypes.join(', ')}.`,
      '/chunk_type',
    );
  } else if (type === 'semantic') {
    problems.push(...semanticProblems(given));
  }
  if (!Number.isInteger(size)) {
    error(
      'CHUNKER_INVALID_CHUNK_SIZE_TYPE',
      `chunk_size is ${JSON.stringify(size)}; it must be a whole number.`,
      '/chunk_size',
    );
  } else if ((size as number) < sizes.minimum || (size as number) > sizes.maximum) {
    error(
      'CHUNKER_INVALID_CHUNK_SIZE',
      `chunk_size is ${JSON.stringify(size)}; it must be from ${sizes.minimum} to ${sizes.maximum} ${type === 'hybrid' ? 'tokens' : 'characters'}.`,
      '/chunk_size',
    );
  }
  if (overlap !== undefined && !Number.isInteger(overlap)) {
    error(
      'CHUNKER_INVALID_CHUNK_OVERLAP_TYPE',
      `chunk_overlap is ${JSON.stringify(overlap)}; it must be a whole number.`,
      '/chunk_overlap',
    );
  } else if (
    overlap !== undefined &&
    ((overlap as number) < 0 || (Number.isInteger(size) && (overlap as number) >= (size as number)))
  ) {
    error(
      'CHUNKER_INVALID_CHUNK_OVERLAP',
      `chunk_overlap is ${JSON.stringify(overlap)}; it must be from 0 to less than chunk_size (${JSON.stringify(size)}).`,
      '/chunk_overlap',
    );
  }
  if (retain !== undefined && typeof retain !== 'boolean') {
    error(
      'CHUNKER_INVALID_RETAIN_ORIGINAL_CONTENT_TYPE',
      `retain_original_content is ${JSON.stringify(retain)}; it must be true or false.`,
      '/retain_original_content',
    );
  }
  if (retain === true) {
    problems.push({
      severity: 'warning',
      messageCode: 'CHUNKER_ORIGINAL_CONTENT_NOT_KEPT',
      message:
        'retain_original_content has no effect: content of a chunk row is the chunk. The whole text stays in the table of the operator before.',
      pointer: '/retain_original_content',
    });
  }
  if (columns.has('embeddings')) {
    error(
      'CHUNKER_OPERATOR_MISPLACED',
      'The chunker comes after an embeddings operator; vectors of whole documents do not fit their chunks. Put it before.',
      '',
    );
  }
  if (columns.has('chunk_index'))
    error('CHUNKER_OPERATOR_MISPLACED', 'The rows are chunks already; a flow has one chunker on each way.', '');
  return problems;
}

function semanticProblems(given: Record<string, unknown>): OperatorProblem[] {
  const {
    embeddings: own,
    semantic_embeddings_model: model,
    breakpoint_threshold_type: kind,
    breakpoint_threshold_amount: amount,
  } = given;
  const problems: OperatorProblem[] = [];
  const error = (messageCode: string, message: string, pointer: string) =>
    problems.push({ severity: 'error', messageCode, message, pointer });
  if (own === undefined && model === undefined) {
    error(
      'CHUNKER_SEMANTIC_EMBEDDINGS_MISSING',
      'chunk_type semantic needs vectors of sentences: name what makes them in embeddings (as of the operator embeddings), or a local model in semantic_embeddings_model.',
      '',
    );
  } else {
    const pointer = own === undefined ? '/semantic_embeddings_model' : '/embeddings';
    const found = embeddings.validate(semanticEmbeddings(given));
    problems.push(
      ...found.map((problem) => ({
        ...problem,
        pointer: own === undefined ? pointer : pointer + (problem.pointer ?? ''),
      })),
    );
  }
  if (kind !== undefined && !breakpointKinds.includes(kind as (typeof breakpointKinds)[number])) {
    error(
      'CHUNKER_INVALID_BREAKPOINT_THRESHOLD_TYPE',
      `breakpoint_threshold_type is ${JSON.stringify(kind)}; it must be one of ${breakpointKinds.join(', ')}.`,
      '/breakpoint_threshold_type',
    );
  }
  if (amount !== undefined && !(typeof amount === 'number' && amount >= 0 && amount <= 100)) {
    error(
      'CHUNKER_INVALID_BREAKPOINT_THRESHOLD_AMOUNT',
      `breakpoint_threshold_amount is ${JSON.stringify(amount)}; it must be a number from 0 to 100.`,
      '/breakpoint_threshold_amount',
    );
  }
  return problems;
}
