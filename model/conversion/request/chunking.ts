import { type Static, Type } from '@sinclair/typebox';
import { nullable, readDefaults } from './schema-parts';

const shared = {
  use_markdown_tables: Type.Boolean({ default: false, description: 'Tables as Markdown instead of triplets.' }),
  use_markdown_images: Type.Boolean({ default: false, description: 'Pictures as Markdown images.' }),
  image_placeholder: Type.String({ default: '![IMAGE]', description: 'Placeholder for pictures.' }),
  include_raw_text: Type.Boolean({ default: false, description: 'Also return the text without its headings.' }),
};

/** Chunks that follow the document tree and fit the token limit of a tokenizer. */
export const HybridChunkerOptions = Type.Object(
  {
    chunker: Type.Literal('hybrid', { default: 'hybrid' }),
    ...shared,
    max_tokens: nullable(Type.Integer({ minimum: 1 }), {
      description: 'Maximum tokens of a chunk; null: the limit of the tokenizer.',
    }),
    tokenizer: Type.String({
      default: 'sentence-transformers/all-MiniLM-L6-v2',
      description: 'The tokenizer that counts tokens.',
    }),
    merge_peers: Type.Boolean({ default: true, description: 'Join small neighbours under the same headings.' }),
  },
  { $id: 'HybridChunkerOptions' },
);
export type HybridChunkerOptions = Static<typeof HybridChunkerOptions>;

/** One chunk per item of the document tree. */
export const HierarchicalChunkerOptions = Type.Object(
  { chunker: Type.Literal('hierarchical', { default: 'hierarchical' }), ...shared },
  { $id: 'HierarchicalChunkerOptions' },
);
export type HierarchicalChunkerOptions = Static<typeof HierarchicalChunkerOptions>;

/** The options of either chunker; `chunker` is the discriminator. */
export const ChunkingOptions = Type.Union([HybridChunkerOptions, HierarchicalChunkerOptions], {
  discriminator: { propertyName: 'chunker' },
});
export type ChunkingOptions = Static<typeof ChunkingOptions>;

const defaultTokenizer = 'ibm-granite/granite-embedding-278m-multilingual';
const tokenizers: Readonly<Record<string, string>> = {
  granite_embedding_278m: defaultTokenizer,
  multilingual_e5_large: 'intfloat/multilingual-e5-large',
  minilm_l6: 'sentence-transformers/all-MiniLM-L6-v2',
};

/** The options of a preset; null means the preset `default`. */
export function buildChunking(preset: string | null): ChunkingOptions {
  if (preset === 'hierarchical') return readDefaults(HierarchicalChunkerOptions);
  return { ...readDefaults(HybridChunkerOptions), tokenizer: tokenizers[preset ?? 'default'] ?? defaultTokenizer };
}
