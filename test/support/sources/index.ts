import type { SourceProvider } from '../../../model/source/list';
import { azureFixture } from './azure';
import { confluenceFixture } from './confluence';
import { filesystemFixture } from './filesystem';
import type { SourceFixture } from './fixture';
import { gcsFixture } from './gcs';
import { gitFixture } from './git';
import { googleDriveFixture } from './google-drive';
import { httpFixture } from './http';
import { libraryFixture } from './library';
import { s3Fixture } from './s3';
import { sftpFixture } from './sftp';
import { sharepointFixture } from './sharepoint';
import { webdavFixture } from './webdav';

/** Without those whose servers need packages of Debian (test/sources). */
type TestedProvider = Exclude<SourceProvider, 'imap' | 'smb' | 'mediawiki'>;

/** Opens each source on its real server. */
export const sourceFixtures: Readonly<Record<TestedProvider, () => Promise<SourceFixture>>> = {
  filesystem: filesystemFixture,
  s3: s3Fixture,
  http: httpFixture,
  library: libraryFixture,
  webdav: webdavFixture,
  git: gitFixture,
  sftp: sftpFixture,
  azure: azureFixture,
  gcs: gcsFixture,
  sharepoint: sharepointFixture,
  google_drive: googleDriveFixture,
  confluence: confluenceFixture,
};
