import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition, OperatorProblem } from '../../model/operator';

export const defaultChunkSize = 2_048;
export const defaultChunkOverlap = 200;
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
            '`simple` cuts by characters at paragraphs, lines, sentences and blanks. `hybrid` follows the structure of the document and counts tokens. `semantic` arrives with a later release.',
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

export const chunker = {
  name: 'chunker',
  label: 'Chunker',
  category: 'Functional',
  scope: 'row',
  queue: 'cpu',
  needs: ['files', 'tokenizers'],
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
    error(
      'OPERATOR_VALIDATION_FAILED',
      `chunk_type ${JSON.stringify(type)} arrives with a later release; now there are simple and hybrid.`,
      '/chunk_type',
    );
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
