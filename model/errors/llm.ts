import type { ErrorEntry } from './entry';

/** Model hosts, embeddings and trained models. */
export const llmErrors = {
  LOCALMODEL_CONNECTION_FAILED: {
    status: 503,
    retry: 'outage',
    scope: 'run',
    text: 'The local model host cannot be reached.',
    lower: 'ollama_connection_failed',
  },
  LOCALMODEL_MODEL_NOT_FOUND: {
    status: 404,
    scope: 'run',
    text: 'The model is not on the local model host.',
    lower: 'ollama_model_not_found',
  },
  HOSTEDMODEL_AUTH_FAILED: { status: 502, scope: 'run', text: 'The hosted model vendor rejected the credentials.' },
  HOSTEDMODEL_MODEL_NOT_FOUND: {
    status: 404,
    scope: 'run',
    text: 'The hosted vendor does not offer the model, or you may not use it.',
  },
  UNSUPPORTED_PROVIDER: { status: 400, scope: 'request', text: 'The model provider is unknown.' },
  INVALID_API_BASE: {
    status: 400,
    scope: 'request',
    text: 'Requests to this address of a model provider are not allowed.',
  },
  MISSING_CONFIGURATION: { status: 400, scope: 'request', text: 'The server lacks a setting that the request needs.' },
  EMBEDDING_DIMENSION_MISMATCH: {
    status: 400,
    scope: 'run',
    text: 'The embedding does not have the expected dimension.',
  },
  EMBEDDING_REFUSED: { status: 422, scope: 'document', text: 'The model host rejected a text.' },
  MODEL_REQUEST_REFUSED: { status: 422, scope: 'document', text: 'The model host rejected a request.' },
  MODEL_ANSWER_INVALID: {
    status: 502,
    scope: 'document',
    text: 'The answer of the model does not have the requested form.',
  },
  PAGE_MODEL_INVALID: {
    status: 500,
    scope: 'document',
    text: 'A layout or table model in the models folder cannot be used.',
  },
  RERANK_MODEL_INVALID: {
    status: 500,
    scope: 'request',
    text: 'The reranking model in the models folder cannot be used.',
  },
} as const satisfies Record<string, ErrorEntry>;
