import { Type } from '@sinclair/typebox';

const definePatterns = (description: string) =>
  Type.Union(
    [
      Type.String({ maxLength: 10_000 }),
      Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 1000 }),
    ],
    { description },
  );

/** Settings of every source: which documents to read, and the readers of documents without an access list. */
export const commonSettings = {
  recursive: Type.Optional(Type.Boolean({ description: 'Include sub-folders; default true.' })),
  ignore_hidden_files: Type.Optional(
    Type.Boolean({
      description:
        'Skip names that begin with a dot; default true. Hidden files also need DOCLOOM_HIDDEN_FILES on the worker and a run for administrators.',
    }),
  ),
  max_file_size_mb: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: 'Larger files become failed documents.' }),
  ),
  include_filter: Type.Optional(definePatterns('Extensions (`pdf,txt`) or globs; only these files are read.')),
  exclude_filter: Type.Optional(definePatterns('Extensions or globs; these files and folders are left out.')),
  exclude_patterns: Type.Optional(definePatterns('Further globs to leave out.')),
  allowed_users: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      description:
        'Users who may read the documents, unless an `.acl.json` beside the files defines it. Only for runs that may ingest for everybody.',
    }),
  ),
};
