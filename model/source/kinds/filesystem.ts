import { Type } from '@sinclair/typebox';
import { readFilesystemSettings } from '../filesystem-source';
import { createSourceProblem, type SourceKind } from '../kind';
import { findRightsProblems, rightsSetting } from '../server-settings';

const pathsSetting = Type.Union(
  [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 1000 })],
  {
    description: 'Files and folders, one or a list. They must be inside the folders that the worker allows.',
  },
);

/** Folders of the worker. */
export const filesystem = {
  name: 'filesystem',
  aliases: [],
  summary:
    'files and folders inside the folders that `DOCLOOM_SOURCE_ROOTS` names on the worker; hidden ones need `DOCLOOM_HIDDEN_FILES` there',
  settings: {
    paths: Type.Optional(pathsSetting),
    root_path: Type.Optional(pathsSetting),
    ...rightsSetting,
  },
  credentials: {},
  rights: {
    list: 'The paths exist inside DOCLOOM_SOURCE_ROOTS, and the user of the worker may list them.',
    read: 'The user of the worker may read the files.',
    access: 'Every `.acl.json` is valid; below places of identity maps, the rights of the files can be read.',
  },
  version: 'size and time of the last change',
  access:
    'owner, group, mode and access control list, where an identity map covers the folder; else the nearest `.acl.json`',
  problems(config) {
    const { paths } = readFilesystemSettings(config);
    if (paths.length === 0)
      return [
        createSourceProblem(
          '/connection_params/paths',
          'No path is given; expected `connection_params.paths` with at least one file or folder.',
        ),
      ];
    const invalid = paths.find((path) => path.includes('\0'));
    if (invalid === undefined) return findRightsProblems(config, 'posix');
    const message = `The path ${JSON.stringify(invalid)} contains a NUL character.`;
    return [createSourceProblem('/connection_params/paths', message)];
  },
} as const satisfies SourceKind;
