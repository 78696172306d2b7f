import { type Static, Type } from '@sinclair/typebox';
import { modelHostMembers, modelTypes } from './model-host';

/** Values of `type` (or `provider`) of the embeddings operator, with their aliases. */
export const embeddingsTypes = {
  builtin: {
    aliases: [],
    text: 'the best of the installed model packs (`docloom models`), run inside the worker; without one the same as `hashing`',
  },
  hashing: { aliases: [], text: 'feature hashing inside the worker; needs no model, but ignores meaning' },
  ...modelTypes,
  onnx: { aliases: [], text: 'a model of the models folder, run inside the worker' },
} as const satisfies Record<string, { aliases: readonly string[]; text: string }>;
export type EmbeddingsType = keyof typeof embeddingsTypes;

/** The type used when a flow names none. */
export const defaultEmbeddingsType: EmbeddingsType = 'builtin';

/** The type of that name or alias; undefined when there is none. */
export function findEmbeddingsType(name: string): EmbeddingsType | undefined {
  const entries = Object.entries(embeddingsTypes) as [EmbeddingsType, { aliases: readonly string[] }][];
  return entries.find(([type, { aliases }]) => type === name || aliases.includes(name))?.[0];
}

/** The dimension of the hashing embedder when a flow sets none. */
export const hashingDimension = 384;

/** The connection settings of an embeddings operator. Unknown members are ignored. */
export const EmbeddingsProviderConfig = Type.Object(
  {
    ...modelHostMembers,
    batch_size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_048, default: 32, description: 'Maximum texts per request.' }),
    ),
    tokens_per_request: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        default: 65_536,
        description: 'Maximum (estimated) tokens per request.',
      }),
    ),
    dimensions: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 16_000,
        description: `Length of the vectors; requested from the model and checked. hashing: default ${hashingDimension}.`,
      }),
    ),
    pooling: Type.Optional(
      Type.Union([Type.Literal('mean'), Type.Literal('cls')], {
        description:
          'How an `onnx` model pools the vectors of its tokens. Default: as `1_Pooling/config.json` of the model says, else mean.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type EmbeddingsProviderConfig = Static<typeof EmbeddingsProviderConfig>;

/** Longer texts are split into pieces for a model host. In tokens; used when the configuration sets no limit. */
export const defaultTokenLimit = 8_192;
/** Overlap between consecutive pieces, as a share of a piece; used when the configuration sets none. */
export const defaultOverlapRatio = 0.2;

/** How texts become vectors, apart from the model. */
export const EmbeddingsTextConfig = Type.Object(
  {
    token_limit: Type.Optional(
      Type.Integer({
        minimum: 16,
        maximum: 1_000_000,
        description:
          'Maximum (estimated) tokens of a text; longer texts are split and the vectors are averaged. Default 8192; onnx and builtin: counted, and by default what the model takes.',
      }),
    ),
    overlap_ratio: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 0.5,
        default: defaultOverlapRatio,
        description: 'The fraction of a piece that the next one repeats.',
      }),
    ),
  },
  { additionalProperties: true },
);
