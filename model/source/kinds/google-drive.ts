import { isWebAddress, defineOptionalText, createSourceProblem, type SourceKind, reachOneServer } from '../kind';
import { readGoogleDriveSettings, usualDirectoryEndpoint, usualDriveEndpoint } from '../online/google-drive-source';
import { findRightsProblems, rightsSetting } from '../server-settings';
import { gcs } from './gcs';

/** Drives of Google Workspace. */
export const googleDrive = {
  name: 'google_drive',
  aliases: ['gdrive'],
  summary:
    'files of a Google Drive or a shared drive; documents of Google are exported as Office files, and shortcuts are not followed',
  settings: {
    folder_id: defineOptionalText('google_drive: only documents in this folder, by the id in its address.'),
    subject: defineOptionalText(
      'google_drive: the user for whom the service account acts (domain-wide delegation); default: the service account itself.',
    ),
    ...rightsSetting,
  },
  credentials: gcs.credentials,
  connection: 'google_drive',
  usualAddress: usualDriveEndpoint,
  directoryAddress: usualDirectoryEndpoint,
  rights: {
    reach: reachOneServer,
    sign_in: 'Google accepts the service account key, and its delegation to `subject`.',
    list: 'The account may list the drive or the folder (scope `drive.readonly`).',
    read: 'The account may download or export the files (scope `drive.readonly`).',
    access: 'Where an identity map covers Google Drive, the account may read the permissions of the files.',
  },
  version: 'the MD5 of the content; for documents of Google, the time of the last change',
  access:
    'permissions of the files, where an identity map covers the drive; else `allowed_users` of the flow, or the owner of the run',
  problems(config) {
    const { endpoint, keyText, driveId, folderId } = readGoogleDriveSettings(config);
    const problems = findRightsProblems(config, 'source');
    const report = (name: string, message: string) =>
      problems.push(createSourceProblem(`/connection_params/${name}`, message));
    if (!isWebAddress(endpoint))
      report('endpoint_url', `endpoint_url is '${endpoint}'; expected an http or https address.`);
    for (const [name, id] of [
      ['drive_id', driveId],
      ['folder_id', folderId],
    ] as const)
      if (id !== undefined && !/^[A-Za-z0-9_-]+$/.test(id))
        report(name, `${name} is '${id}'; expected an id of Google Drive.`);
    if (keyText === '') problems.push(createSourceProblem('/credentials', 'Expected service_account_key.'));
    return problems;
  },
} as const satisfies SourceKind;
