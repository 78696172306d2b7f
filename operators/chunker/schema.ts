import { type Static, Type } from '@sinclair/typebox';
import { breakpointKinds, defaultBreakpointAmounts } from '../../document/chunk/semantic';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import { literals } from '../../model/literals';
import { embeddings } from '../embeddings/schema';
import { createProblem } from '../problem';

export const defaultChunkSize = 2_048;
const defaultChunkOverlap = 200;
const chunkTypes = ['simple', 'semantic', 'hybrid'] as const;
const sizeLimits = { minimum: 50, maximum: 100_000 };
/** Used for hybrid chunks when no tokenizer is set. */
export const defaultTokenizer = 'sentence-transformers/all-MiniLM-L6-v2';
export const defaultImagePlaceholder = '![IMAGE]';

export const config = Type.Object(
  {
    chunk_type: Type.Optional(
      literals(chunkTypes, {
        // No schema default: it depends on the sizes.
        description:
          'Default: `hybrid`; `simple` where `chunk_size` or `chunk_overlap` is given, because they count characters there. `simple` splits by characters at paragraphs, lines, sentences and spaces. `hybrid` follows the structure of the document and counts tokens. `semantic` splits where the meaning changes between sentences, measured with `embeddings`.',
      }),
    ),
    chunk_size: Type.Optional(
      Type.Integer({
        ...sizeLimits,
        // No schema default: it would also be set for `hybrid`, where the default depends on the tokenizer.
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
        description: `hybrid: the tokenizer that counts tokens, as the name of a folder in the models folder. If that folder is missing, the bundled tokenizer is used, with a warning if you named another one. Default ${defaultTokenizer}.`,
      }),
    ),
    docling_tokenizer: Type.Optional(Type.String({ description: 'Alias of `tokenizer`.' })),
    merge_peers: Type.Optional(
      Type.Boolean({ default: true, description: 'hybrid: merge small adjacent chunks under the same headings.' }),
    ),
    use_markdown_tables: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'hybrid: write tables as Markdown instead of "row, column = value".',
      }),
    ),
    use_markdown_images: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'hybrid: write a placeholder for pictures in addition to their caption.',
      }),
    ),
    image_placeholder: Type.Optional(
      Type.String({ default: defaultImagePlaceholder, description: 'hybrid: the placeholder for pictures.' }),
    ),
    contextualize: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'hybrid: put the headings of a chunk before its text, one per line, so that they are embedded too.',
      }),
    ),
    embeddings: Type.Optional(
      Type.Object(
        {
          type: Type.Optional(Type.String({ description: 'As in the operator embeddings.' })),
          provider: Type.Optional(Type.String({ description: 'Alias of `type`.' })),
          provider_config: Type.Optional(
            Type.Object({}, { additionalProperties: true, description: 'As in the operator embeddings.' }),
          ),
        },
        {
          additionalProperties: Type.Unknown(),
          description: 'semantic: the embedder for sentences, configured like the operator embeddings.',
        },
      ),
    ),
    semantic_embeddings_model: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'semantic: short form of `embeddings` with a `local_api` model of this name.',
      }),
    ),
    provider_config: Type.Optional(
      Type.Object(
        { host: Type.Optional(Type.String({ description: 'Address of the host of `semantic_embeddings_model`.' })) },
        { additionalProperties: Type.Unknown(), description: 'semantic: settings of `semantic_embeddings_model`.' },
      ),
    ),
    breakpoint_threshold_type: Type.Optional(
      literals(breakpointKinds, {
        default: 'percentile',
        description:
          'semantic: how the distance at which a chunk ends is computed. `percentile`: a percentile of all distances; `standard_deviation`, `interquartile`: the mean plus a multiple of it; `gradient`: a percentile of the changes in distance.',
      }),
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
        description: 'semantic: number of neighbouring sentences on each side that are embedded with a sentence.',
      }),
    ),
    retain_original_content: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Accepted for compatibility. `content` of a chunk row is the chunk; the whole text is in the table of the previous operator.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type ChunkerConfig = Static<typeof config>;

/**
 * How documents are split. Without a `chunk_type` sizes mean characters, as they always did; without sizes the chunker with the
 * best answers in bench/README.md is used.
 */
export function getChunkType(input: Record<string, unknown>): unknown {
  const hasSizes = input['chunk_size'] !== undefined || input['chunk_overlap'] !== undefined;
  return input['chunk_type'] ?? (hasSizes ? 'simple' : 'hybrid');
}

/** The overlap of a configuration. The default shrinks with a small chunk size. */
export function computeOverlap({ chunk_size = defaultChunkSize, chunk_overlap }: ChunkerConfig): number {
  return chunk_overlap ?? (chunk_size > 2 * defaultChunkOverlap ? defaultChunkOverlap : Math.floor(chunk_size / 10));
}

/** The embedder configuration for semantic chunks: `embeddings`, or the equivalent of its short form. */
export function buildSemanticEmbeddings(config: Record<string, unknown>): Record<string, unknown> {
  const { embeddings: embedding, semantic_embeddings_model: model, provider_config: settings } = config;
  if (embedding !== undefined || model === undefined) return (embedding ?? {}) as Record<string, unknown>;
  const { host, ...otherSettings } = (settings ?? {}) as Record<string, unknown>;
  return {
    type: 'local_api',
    provider_config: { ...otherSettings, model_id: model, ...(host === undefined ? {} : { api_base: host }) },
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
      description: 'References of the document items in the chunk; hybrid chunks only.',
      indexed: false,
    },
  },
  config,
  summary: 'Splits documents into chunks, with their offsets, headings, pages and boxes.',
  validate,
  place: {
    after: {
      type: 'extract_operator',
      messageCode: 'EXTRACT_OPERATOR_MISSING',
      message: (operator) => `'${operator}' is a chunker; an extract operator must exist and be connected before it.`,
    },
  },
} as const satisfies OperatorDefinition;

function validate(input: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  return [
    ...findTypeProblems(input),
    ...findSizeProblems(input),
    ...findOverlapProblems(input),
    ...findRetainProblems(input),
    ...findPlaceProblems(columns),
  ];
}

function findTypeProblems(input: Record<string, unknown>): OperatorProblem[] {
  const type = getChunkType(input);
  if (type === 'semantic') return findSemanticProblems(input);
  if (chunkTypes.includes(type as (typeof chunkTypes)[number])) return [];
  const message = `chunk_type is ${JSON.stringify(type)}; it must be one of ${chunkTypes.join(', ')}.`;
  return [createProblem(message, '/chunk_type', 'CHUNKER_INVALID_CHUNK_TYPE')];
}

function findSizeProblems(input: Record<string, unknown>): OperatorProblem[] {
  const { chunk_size: size = defaultChunkSize } = input;
  if (!Number.isInteger(size)) {
    const message = `chunk_size is ${JSON.stringify(size)}; it must be a whole number.`;
    return [createProblem(message, '/chunk_size', 'CHUNKER_INVALID_CHUNK_SIZE_TYPE')];
  }
  if ((size as number) >= sizeLimits.minimum && (size as number) <= sizeLimits.maximum) return [];
  const unit = getChunkType(input) === 'hybrid' ? 'tokens' : 'characters';
  const message = `chunk_size is ${JSON.stringify(size)}; it must be from ${sizeLimits.minimum} to ${sizeLimits.maximum} ${unit}.`;
  return [createProblem(message, '/chunk_size', 'CHUNKER_INVALID_CHUNK_SIZE')];
}

function findOverlapProblems(input: Record<string, unknown>): OperatorProblem[] {
  const { chunk_size: size = defaultChunkSize, chunk_overlap: overlap } = input;
  if (overlap === undefined) return [];
  if (!Number.isInteger(overlap)) {
    const message = `chunk_overlap is ${JSON.stringify(overlap)}; it must be a whole number.`;
    return [createProblem(message, '/chunk_overlap', 'CHUNKER_INVALID_CHUNK_OVERLAP_TYPE')];
  }
  const isTooLarge = Number.isInteger(size) && (overlap as number) >= (size as number);
  if ((overlap as number) >= 0 && !isTooLarge) return [];
  const message = `chunk_overlap is ${JSON.stringify(overlap)}; it must be from 0 to less than chunk_size (${JSON.stringify(size)}).`;
  return [createProblem(message, '/chunk_overlap', 'CHUNKER_INVALID_CHUNK_OVERLAP')];
}

function findRetainProblems({ retain_original_content: retain }: Record<string, unknown>): OperatorProblem[] {
  const pointer = '/retain_original_content';
  if (retain === undefined || retain === false) return [];
  if (retain !== true) {
    const message = `retain_original_content is ${JSON.stringify(retain)}; it must be true or false.`;
    return [createProblem(message, pointer, 'CHUNKER_INVALID_RETAIN_ORIGINAL_CONTENT_TYPE')];
  }
  return [
    {
      severity: 'warning',
      messageCode: 'CHUNKER_ORIGINAL_CONTENT_NOT_KEPT',
      message:
        'retain_original_content has no effect: the content of a chunk row is the chunk. The whole text is in the table of the previous operator.',
      pointer,
    },
  ];
}

function findPlaceProblems(columns: ReadonlySet<string>): OperatorProblem[] {
  const code = 'CHUNKER_OPERATOR_MISPLACED';
  const problems: OperatorProblem[] = [];
  if (columns.has('embeddings'))
    problems.push(
      createProblem(
        'The chunker comes after an embeddings operator; vectors of whole documents do not fit their chunks. Put it before.',
        '',
        code,
      ),
    );
  if (columns.has('chunk_index'))
    problems.push(createProblem('The rows are chunks already; use a single chunker on each path of a flow.', '', code));
  return problems;
}

function findSemanticProblems(input: Record<string, unknown>): OperatorProblem[] {
  const {
    embeddings: embedding,
    semantic_embeddings_model: model,
    breakpoint_threshold_type: kind,
    breakpoint_threshold_amount: amount,
  } = input;
  const problems: OperatorProblem[] = [];
  const addProblem = (...problem: Parameters<typeof createProblem>) => problems.push(createProblem(...problem));
  if (embedding === undefined && model === undefined) {
    addProblem(
      'chunk_type semantic needs vectors of sentences: set embeddings, configured like the operator embeddings, or name a local model in semantic_embeddings_model.',
      '',
      'CHUNKER_SEMANTIC_EMBEDDINGS_MISSING',
    );
  } else {
    for (const problem of embeddings.validate(buildSemanticEmbeddings(input))) {
      const pointer = embedding === undefined ? '/semantic_embeddings_model' : `/embeddings${problem.pointer ?? ''}`;
      problems.push({ ...problem, pointer });
    }
  }
  if (kind !== undefined && !breakpointKinds.includes(kind as (typeof breakpointKinds)[number])) {
    addProblem(
      `breakpoint_threshold_type is ${JSON.stringify(kind)}; it must be one of ${breakpointKinds.join(', ')}.`,
      '/breakpoint_threshold_type',
      'CHUNKER_INVALID_BREAKPOINT_THRESHOLD_TYPE',
    );
  }
  if (amount !== undefined && !(typeof amount === 'number' && amount >= 0 && amount <= 100)) {
    addProblem(
      `breakpoint_threshold_amount is ${JSON.stringify(amount)}; it must be a number from 0 to 100.`,
      '/breakpoint_threshold_amount',
      'CHUNKER_INVALID_BREAKPOINT_THRESHOLD_AMOUNT',
    );
  }
  return problems;
}
