import { type Static, Type } from '@sinclair/typebox';

const base64 = Type.String({ maxLength: 4_000_000, description: 'Bytes in base64.' });

/** Payloads as Temporal's UI and command line send them to a codec server: the JSON form of its protobuf messages. */
export const CodecPayloads = Type.Object(
  {
    payloads: Type.Array(
      Type.Object(
        {
          metadata: Type.Optional(Type.Record(Type.String(), base64, { maxProperties: 100 })),
          data: Type.Optional(base64),
        },
        { additionalProperties: true },
      ),
      { maxItems: 10_000, description: 'In the order in which they are answered.' },
    ),
  },
  { $id: 'CodecPayloads' },
);
export type CodecPayloads = Static<typeof CodecPayloads>;
