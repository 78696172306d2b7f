import { Type } from '@sinclair/typebox';
import { readGitSettings } from '../git-source';
import { isWebAddress, defineOptionalText, createSourceProblem, type SourceKind, reachOneServer } from '../kind';
import { folderSetting, signInSettings } from '../server-settings';

/** Branches of git repositories over HTTP. */
export const git = {
  name: 'git',
  aliases: [],
  summary: 'files of one branch of a git repository, over HTTP(S)',
  settings: {
    repository_url: defineOptionalText(
      'git: the address of the repository, such as `https://git.example.org/team/docs.git`.',
    ),
    branch: Type.Optional(
      Type.String({
        pattern: '^[^\\s~^:?*\\[\\\\\\x00-\\x1f-][^\\s~^:?*\\[\\\\\\x00-\\x1f]*$',
        maxLength: 250,
        description: 'git: the branch; by default the main branch of the repository.',
      }),
    ),
    ...folderSetting,
  },
  credentials: signInSettings,
  connection: 'web',
  rights: {
    reach: reachOneServer,
    sign_in: 'The server accepts user name and password or access token.',
    list: 'The account may fetch the branch.',
    read: 'The files are in the branch.',
    access: 'Every `.acl.json` of the branch is valid.',
  },
  version: 'the id of the blob',
  access: 'the nearest `.acl.json` of the branch',
  problems(config) {
    const { repositoryUrl } = readGitSettings(config);
    if (isWebAddress(repositoryUrl)) return [];
    return [
      createSourceProblem(
        '/connection_params/repository_url',
        `repository_url is '${repositoryUrl}'; expected an http or https address. Addresses of SSH are not supported.`,
      ),
    ];
  },
} as const satisfies SourceKind;
