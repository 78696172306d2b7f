import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { HierarchicalChunkerOptions, HybridChunkerOptions } from '../../../model/conversion/request/chunking';
import { ConvertOptions } from '../../../model/conversion/request/options';
import { oneOf } from '../../../model/conversion/request/schema-parts';
import { formTargets } from '../read-form';

const files = Type.Array(Type.Unsafe<unknown>({ type: 'string', format: 'binary' }), {
  description: 'The documents; repeat the field for several.',
});
const shared = { files, target_type: Type.Optional(oneOf(formTargets)) };

/** The form of a conversion: one field per option, repeated for lists, with objects as JSON text. */
export const convertForm: TObject = Type.Object({
  ...shared,
  ...getFields(ConvertOptions, ''),
  callbacks: Type.Optional(
    Type.Array(Type.String(), { description: 'URLs, or callbacks as JSON; repeat the field for several.' }),
  ),
});

/** The form for chunking: as for a conversion, with prefixes. */
export function buildChunkForm(chunker: 'hybrid' | 'hierarchical'): TObject {
  return Type.Object({
    ...shared,
    include_converted_doc: Type.Optional(Type.Boolean({ default: false })),
    ...getFields(ConvertOptions, 'convert_'),
    ...getFields(chunker === 'hybrid' ? HybridChunkerOptions : HierarchicalChunkerOptions, 'chunking_'),
  });
}

function getFields({ properties }: TObject, prefix: string): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => name !== 'chunker')
      .map(([name, schema]) => [`${prefix}${name}`, Type.Optional(schema)]),
  );
}
