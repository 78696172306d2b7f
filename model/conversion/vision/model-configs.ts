import { type Static, Type } from '@sinclair/typebox';
import { oneOf, openObject, nullable, headerFields } from '../request/schema-parts';

/** How a picture, page or code model runs; values that begin with `api` are remote. */
const engineTypes = [
  'transformers',
  'mlx',
  'vllm',
  'api',
  'api_ollama',
  'api_lmstudio',
  'api_openai',
  'auto_inline',
] as const;

const responseFormats = [
  'doctags',
  'doclang',
  'markdown',
  'deepseekocr_markdown',
  'unlimited_ocr_markdown',
  'html',
  'otsl',
  'plaintext',
  'chandra_html',
  'dots_json',
  'nemotron_parse_v2',
  'mineru2',
] as const;

const classification = {
  classification_allow: nullable(Type.Array(Type.String())),
  classification_deny: nullable(Type.Array(Type.String())),
  classification_min_confidence: Type.Number({ default: 0 }),
};

const EngineOptions = Type.Unsafe<{
  engine_type: (typeof engineTypes)[number];
  url?: string;
  headers?: Record<string, string>;
  params?: Record<string, unknown>;
  timeout?: number;
  concurrency?: number;
}>(
  Type.Object(
    {
      engine_type: oneOf(engineTypes),
      url: Type.Optional(
        Type.String({ format: 'uri', description: 'Of the api engines: address of chat completions.' }),
      ),
      headers: Type.Optional(headerFields({ default: undefined })),
      params: Type.Optional(openObject()),
      timeout: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      concurrency: Type.Optional(Type.Integer({ minimum: 1 })),
    },
    { additionalProperties: true },
  ),
);

/** A custom model configuration: the model and how it runs. Unlisted members are kept. */
export const ModelConfig = Type.Object(
  {
    model_spec: Type.Optional(openObject({ description: 'name, default_repo_id, revision, prompt, …' })),
    engine_options: Type.Optional(EngineOptions),
    prompt: Type.Optional(Type.String()),
  },
  { additionalProperties: true, $id: 'ModelConfig' },
);
export type ModelConfig = Static<typeof ModelConfig>;

/** A picture model in this process, in the form used before `picture_description_custom_config`. */
export const PictureDescriptionLocal = Type.Object(
  {
    repo_id: Type.String(),
    prompt: Type.String({ default: 'Describe this image in a few sentences.' }),
    generation_config: openObject({ default: { max_new_tokens: 200, do_sample: false } }),
    ...classification,
  },
  { $id: 'PictureDescriptionLocal' },
);
export type PictureDescriptionLocal = Static<typeof PictureDescriptionLocal>;

/** A picture model on a remote server, in the form used before `picture_description_custom_config`. */
export const PictureDescriptionApi = Type.Object(
  {
    url: Type.String({ format: 'uri' }),
    headers: headerFields(),
    params: openObject({ default: {} }),
    timeout: Type.Number({ default: 20 }),
    concurrency: Type.Integer({ default: 1 }),
    prompt: Type.String({ default: 'Describe this image in a few sentences.' }),
    ...classification,
  },
  { $id: 'PictureDescriptionApi' },
);
export type PictureDescriptionApi = Static<typeof PictureDescriptionApi>;

/** A page model in this process, in the form used before `vlm_pipeline_custom_config`. */
export const VlmModelLocal = Type.Object(
  {
    repo_id: Type.String(),
    prompt: Type.String({ default: 'Convert this page to docling.' }),
    scale: Type.Number({ default: 2 }),
    response_format: oneOf(responseFormats),
    inference_framework: oneOf(['mlx', 'transformers', 'vllm']),
    transformers_model_type: oneOf(['automodel', 'automodel-causallm', 'automodel-imagetexttotext'], {
      default: 'automodel',
    }),
    extra_generation_config: openObject({ default: { max_new_tokens: 800, do_sample: false } }),
    temperature: Type.Number({ default: 0 }),
  },
  { $id: 'VlmModelLocal' },
);
export type VlmModelLocal = Static<typeof VlmModelLocal>;

/** A page model on a remote server, in the form used before `vlm_pipeline_custom_config`. */
export const VlmModelApi = Type.Object(
  {
    url: Type.String({ format: 'uri' }),
    headers: headerFields(),
    params: openObject({ default: {} }),
    timeout: Type.Number({ default: 60 }),
    concurrency: Type.Integer({ default: 1 }),
    prompt: Type.String({ default: 'Convert this page to docling.' }),
    scale: Type.Number({ default: 2 }),
    response_format: oneOf(responseFormats),
    temperature: Type.Number({ default: 0 }),
  },
  { $id: 'VlmModelApi' },
);
export type VlmModelApi = Static<typeof VlmModelApi>;

/** True when the model is called over the network, which the server's operator must have allowed. */
export function isRemote(config: ModelConfig | null): boolean {
  return config?.engine_options?.engine_type.startsWith('api') ?? false;
}
