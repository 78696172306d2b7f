import type { Setting } from './setting';

/** The vision model of conversions. */
export const visionSettings = {
  DOCLOOM_VISION_URL: {
    kind: 'text',
    text: 'Chat completions URL (OpenAI protocol) of a vision model, such as http://127.0.0.1:8000/v1/chat/completions: for the pipeline vlm and for enrichments of conversions that name no model. The service uses it only with CONVERT_SERVE_ENABLE_REMOTE_SERVICES.',
  },
  DOCLOOM_VISION_API_KEY: { kind: 'text', secret: true, text: 'Bearer token for DOCLOOM_VISION_URL.' },
  DOCLOOM_VISION_MODEL: { kind: 'text', text: 'Name of the model at DOCLOOM_VISION_URL.' },
  DOCLOOM_VISION_MODELS: {
    kind: 'list',
    default: '',
    text: 'Other models at DOCLOOM_VISION_URL for single tasks, such as description=a-model: pages, description, classification, charts, code, formulas.',
  },
  DOCLOOM_VISION_FORMAT: {
    kind: 'text',
    default: 'doctags',
    oneOf: ['doctags', 'doclang', 'otsl', 'markdown', 'html', 'plaintext'],
    text: 'Format in which the vision model writes pages.',
  },
  DOCLOOM_VISION_CONCURRENCY: {
    kind: 'integer',
    default: '4',
    minimum: 1,
    text: 'Concurrent requests to the vision model per document.',
  },
  DOCLOOM_VISION_SECONDS: {
    kind: 'integer',
    default: '120',
    minimum: 1,
    text: 'Timeout in seconds for a request to the vision model.',
  },
} as const satisfies Record<string, Setting>;
