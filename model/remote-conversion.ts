import { type Static, Type } from '@sinclair/typebox';

const option = (text: string) => Type.Optional(Type.String({ minLength: 1, description: text }));

/** The settings of a remote conversion service that speaks `/v1`. Other members are passed over. */
export const RemoteConversion = Type.Object(
  {
    base_url: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'http://localhost:5001',
        description: 'service: its address, without `/v1`.',
      }),
    ),
    api_key: option('service: sent as X-Api-Key. Use a reference such as `${DOCLOOM_SECRET_CONVERT_KEY}`.'),
    timeout: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 86_400,
        description: 'service: seconds of one document, waiting included. Default: `timeout` of the operator.',
      }),
    ),
    poll_interval: Type.Optional(
      Type.Number({
        minimum: 0.05,
        maximum: 60,
        default: 2,
        description: 'service: seconds between questions for the state.',
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
    do_ocr: Type.Optional(
      Type.Boolean({ description: 'Read text on pages that are pictures; true where it is not given.' }),
    ),
    force_ocr: Type.Optional(Type.Boolean({ description: 'Read every page as a picture.' })),
    ocr_engine: option('service: what reads pictures of text.'),
    ocr_languages: Type.Optional(
      Type.Array(Type.String(), { description: 'Languages of the text in pictures, as codes such as en or deu.' }),
    ),
    pdf_backend: option('service: what reads PDF.'),
    table_mode: option('service: `fast` or `accurate`.'),
    image_export_mode: option('service: `placeholder`, `embedded` or `referenced`.'),
    pipeline: option('service: the pipeline to use.'),
  },
  { additionalProperties: true },
);
export type RemoteConversion = Static<typeof RemoteConversion>;
