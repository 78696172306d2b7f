import type { Setting } from './setting';

/** Model hosts, embedding models, and the folder of trained models. */
export const llmSettings = {
  LOCALMODEL_HOST: {
    kind: 'text',
    default: 'http://127.0.0.1:11434',
    text: 'URL of the local model host, for flows that name no host.',
  },
  DOCLOOM_ANSWER_MODEL: {
    kind: 'text',
    default: '',
    text: 'Model at LOCALMODEL_HOST that answers questions from documents (`POST /api/v1/documents/ask`). If empty, questions are not answered.',
  },
  DOCLOOM_RERANK_MODEL: {
    kind: 'text',
    default: '',
    text: 'Cross-encoder that orders the first hits of searches with `rerank`: a model at LOCALMODEL_HOST, which must offer `/rerank` below its path, or with DOCLOOM_RERANK_TYPE `onnx` a folder below DOCLOOM_MODELS_FOLDER. If empty, `rerank` is refused.',
  },
  DOCLOOM_RERANK_TYPE: {
    kind: 'text',
    default: 'local_api',
    oneOf: ['local_api', 'onnx'],
    text: 'Where DOCLOOM_RERANK_MODEL runs: `local_api` (LOCALMODEL_HOST) or `onnx` (inside the api, from DOCLOOM_MODELS_FOLDER).',
  },
  DOCLOOM_TEMPLATE_MODEL: {
    kind: 'text',
    default: '',
    text: 'Model at LOCALMODEL_HOST that improves drafts of graph templates (`POST /api/v1/graphs/template`). If empty, rules alone make them.',
  },
  HOSTEDMODEL_API_BASE_URL: {
    kind: 'text',
    text: 'URL of the hosted model vendor, for listing its models and for flows that name no host.',
  },
  DOCLOOM_HOSTEDMODEL_TOKEN_URL: {
    kind: 'text',
    default: 'https://iam.cloud.ibm.com/identity/token',
    text: 'URL at which an API key of the hosted vendor is exchanged for a token.',
  },
  DOCLOOM_EMBEDDING_CACHE_DAYS: {
    kind: 'integer',
    default: '30',
    minimum: 0,
    text: 'Days that a vector from a model is cached in MongoDB after its last use, so that runs for the same people do not pay for equal texts twice; 0 disables the cache.',
  },
  DOCLOOM_EMBEDDING_THREADS: {
    kind: 'integer',
    default: '2',
    minimum: 1,
    text: 'Threads of an embedding or reranking model that runs in the process (`onnx`, `builtin`).',
  },
  DOCLOOM_MODELS_FOLDER: {
    kind: 'text',
    aliases: ['DOCLING_SERVE_ARTIFACTS_PATH'],
    text: 'Folder of models: layout (`layout`), tables (`table-structure`), text recognition languages (`tessdata`), and embedders, rerankers and tokenizers by name (`<organisation>/<model>/tokenizer.json`). Nothing is downloaded into it.',
  },
} as const satisfies Record<string, Setting>;
