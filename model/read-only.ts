import { type TObject, type TOptional, type TUnknown, Type } from '@sinclair/typebox';

/**
 * Members of a reply that a request may send back unchanged: they are accepted, ignored, and left out of the description of the
 * request.
 */
export function readOnly<const N extends string>(...names: readonly N[]): Record<N, TOptional<TUnknown>> {
  const member = Type.Optional(Type.Unknown({ readOnly: true }));
  return Object.fromEntries(names.map((name) => [name, member])) as Record<N, TOptional<TUnknown>>;
}

/** The names of the members that a request can change. */
export function listChangeable({ properties }: Pick<TObject, 'properties'>): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.['readOnly'] !== true);
}
