import { type Static, Type } from '@sinclair/typebox';
import { literals } from '../literals';
import { pageFormatsByName } from './vision';

const defineOption = (text: string) => Type.Optional(Type.String({ minLength: 1, description: text }));

const defineSecretOption = (text: string) =>
  Type.Optional(Type.String({ minLength: 1, secret: true, description: text }));

const defineFlag = (text: string) => Type.Optional(Type.Boolean({ default: false, description: text }));

/** A vision model for the built-in engine. Unknown members are ignored. */
export const VisionModel = Type.Object(
  {
    engine: Type.Optional(
      literals(['api', 'api_openai', 'api_ollama', 'api_lmstudio', 'auto_inline'], {
        description:
          'The kind of server of the model; `auto_inline` is that of the settings DOCLOOM_VISION_…. Default: `api` with a url, else auto_inline.',
      }),
    ),
    engine_options: Type.Optional(
      Type.Object(
        {
          url: defineOption('Address of its chat completions, such as `http://127.0.0.1:8000/v1/chat/completions`.'),
          api_key: defineSecretOption(
            'Sent as a bearer token. Use a reference such as `${DOCLOOM_SECRET_VISION_KEY}`.',
          ),
          params: Type.Optional(
            Type.Object(
              {},
              { additionalProperties: true, description: 'Members of the request: model, max_tokens, temperature.' },
            ),
          ),
          timeout: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              maximum: 3_600,
              description: 'Timeout in seconds of one request. Default: 60, or DOCLOOM_VISION_SECONDS.',
            }),
          ),
          concurrency: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 64,
              description: 'Concurrent requests for one document. Default: 1, or DOCLOOM_VISION_CONCURRENCY.',
            }),
          ),
        },
        // The key is sent only to the url next to it, never to the converter of the configuration.
        { additionalProperties: true, ownHost: true },
      ),
    ),
    response_format: Type.Optional(
      literals(Object.keys(pageFormatsByName), {
        description: 'Format in which it writes pages. Default: doctags, or DOCLOOM_VISION_FORMAT.',
      }),
    ),
    prompt: defineOption('The prompt for a page; default: one that suits response_format.'),
    scale: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 8,
        default: 2,
        description: 'Scale of page images; 1 is 72 dots per inch.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type VisionModel = Static<typeof VisionModel>;

/** The settings of a remote conversion service with the `/v1` API. Unknown members are ignored. */
export const RemoteConversion = Type.Object(
  {
    base_url: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'http://localhost:5001',
        description: 'service: its address, without `/v1`.',
      }),
    ),
    api_key: defineSecretOption('service: sent as X-Api-Key. Use a reference such as `${DOCLOOM_SECRET_CONVERT_KEY}`.'),
    timeout: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 86_400,
        description:
          'service: timeout in seconds per document, including its time in the queue. Default: `timeout` of the operator.',
      }),
    ),
    poll_interval: Type.Optional(
      Type.Number({
        minimum: 0.05,
        maximum: 60,
        default: 2,
        description: 'service: seconds between polls of the state.',
      }),
    ),
    max_retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 20,
        default: 3,
        description: 'service: further attempts after overload or outage.',
      }),
    ),
    do_ocr: Type.Optional(Type.Boolean({ description: 'Recognize text on pages that are images; default true.' })),
    force_ocr: Type.Optional(
      Type.Boolean({ description: 'Recognize the text of every page, ignoring its text layer.' }),
    ),
    ocr_engine: defineOption(
      'The text recognition engine: tesseract, or ppocr with its model pack. Default: tesseract, or ppocr, if installed and it knows all languages, for photos and coarse scans in English, and for Chinese and Japanese without data for tesseract. service: any engine that it has.',
    ),
    ocr_languages: Type.Optional(
      Type.Array(Type.String(), { description: 'Languages of the text in images, as codes such as en or deu.' }),
    ),
    include_ocr_words: defineFlag(
      'Add recognized words with their boxes and confidence to the document (`docloom__words` in `meta` of texts and tables).',
    ),
    pdf_backend: defineOption('service: the PDF parser.'),
    table_mode: defineOption('service: `fast` or `accurate`.'),
    image_export_mode: defineOption('service: `placeholder`, `embedded` or `referenced`.'),
    pipeline: defineOption(
      '`standard`, or `vlm`: a vision model reads PDF and images. Default: `vlm` if only vlm_pipeline is set. service: any pipeline that it supports.',
    ),
    vlm_pipeline: Type.Optional(VisionModel),
    do_code_enrichment: defineFlag('Read code and detect its language with the model of vlm_pipeline.'),
    do_formula_enrichment: defineFlag('Read formulas as LaTeX with that model.'),
    do_picture_classification: defineFlag('Classify pictures with that model.'),
    do_picture_description: defineFlag('Describe pictures with that model.'),
    do_chart_extraction: defineFlag('Extract the data of charts with that model.'),
    picture_description_area_threshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.05,
        description: 'Smallest picture to describe, as a share of its page.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type RemoteConversion = Static<typeof RemoteConversion>;
