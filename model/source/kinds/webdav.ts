import { isWebAddress, defineOptionalText, createSourceProblem, type SourceKind, reachOneServer } from '../kind';
import { signInSettings, tokenSetting, findSignInProblems } from '../server-settings';
import { readWebdavSettings } from '../webdav-source';

const credentials = { ...signInSettings, ...tokenSetting };

/** Folders of WebDAV servers, such as Nextcloud, ownCloud and Apache. */
export const webdav = {
  name: 'webdav',
  aliases: [],
  summary: 'files and folders of a WebDAV server, such as Nextcloud, ownCloud or Apache',
  settings: {
    folder_url: defineOptionalText(
      'webdav: the address of the folder, such as `https://cloud.example.org/remote.php/dav/files/USER/Documents`.',
    ),
  },
  credentials,
  connection: 'web',
  rights: {
    reach: reachOneServer,
    sign_in: 'The server accepts user name and password, or the token.',
    list: 'The account may list the folder (`PROPFIND`).',
    read: 'The account may read the files (`GET`).',
    access: 'Every `.acl.json` can be read and is valid.',
  },
  version: 'the ETag, else size and time of the last change',
  access: 'the nearest `.acl.json`, up to the highest folder that the account may read',
  problems(config) {
    const settings = readWebdavSettings(config);
    const { folderUrl } = settings;
    const problems = [];
    if (!isWebAddress(folderUrl))
      problems.push(
        createSourceProblem(
          '/connection_params/folder_url',
          `folder_url is '${folderUrl}'; expected an http or https address of a folder.`,
        ),
      );
    return [...problems, ...findSignInProblems(settings)];
  },
} as const satisfies SourceKind;
