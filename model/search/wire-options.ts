import { type Static, Type } from '@sinclair/typebox';

/** What a search may ask for on this server, as far as it depends on the settings of the server. */
export const SearchOptions = Type.Object(
  { rerank: Type.Boolean({ description: 'Whether a model orders the hits of searches with `rerank`.' }) },
  { $id: 'SearchOptions' },
);
export type SearchOptions = Static<typeof SearchOptions>;
