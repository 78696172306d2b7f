import { type Static, Type } from '@sinclair/typebox';
import { GooglePermission } from './google-rights';
import type { Item } from './item';

/** A file or folder of Google Drive. */
export const DriveFile = Type.Object({
  // A file with another id would be omitted and appear to be deleted.
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,512}$' }),
  name: Type.Optional(Type.String({ maxLength: 4_000 })),
  mimeType: Type.Optional(Type.String({ maxLength: 300 })),
  size: Type.Optional(Type.String({ maxLength: 30 })),
  modifiedTime: Type.Optional(Type.String({ maxLength: 100 })),
  md5Checksum: Type.Optional(Type.String({ maxLength: 100 })),
  webViewLink: Type.Optional(Type.String({ maxLength: 4_000 })),
  trashed: Type.Optional(Type.Boolean()),
  parents: Type.Optional(Type.Array(Type.String({ maxLength: 512 }))),
  driveId: Type.Optional(Type.String({ maxLength: 512 })),
  permissions: Type.Optional(Type.Array(GooglePermission)),
});
export type DriveFile = Static<typeof DriveFile>;

const google = 'application/vnd.google-apps.';
/** The type of folders. */
export const folderType = `${google}folder`;
const office = 'application/vnd.openxmlformats-officedocument.';
/** The formats in which documents of Google are exported. */
const formats: Readonly<Record<string, { extension: string; mimetype: string }>> = {
  [`${google}document`]: { extension: 'docx', mimetype: `${office}wordprocessingml.document` },
  [`${google}spreadsheet`]: { extension: 'xlsx', mimetype: `${office}spreadsheetml.sheet` },
  [`${google}presentation`]: { extension: 'pptx', mimetype: `${office}presentationml.presentation` },
  [`${google}drawing`]: { extension: 'png', mimetype: 'image/png' },
};
/** The members of files to request. */
export const fileMembers = 'id,name,mimeType,size,modifiedTime,md5Checksum,webViewLink,trashed';

/** The format in which a document of Google is exported; undefined for another file. */
export function findExport(mimeType: string): { extension: string; mimetype: string } | undefined {
  return Object.hasOwn(formats, mimeType) ? formats[mimeType] : undefined;
}

/** The item as listed; none for one in the trash. */
export function toItem(file: DriveFile): Item[] {
  const {
    id,
    name = '',
    mimeType = '',
    size: sizeText = '0',
    modifiedTime = '',
    md5Checksum,
    webViewLink,
    trashed,
  } = file;
  if (trashed) return [];
  const isFolder = mimeType === folderType;
  const exported = findExport(mimeType);
  const isOther = mimeType.startsWith(google) && !isFolder && !exported;
  const size = Number(sizeText);
  const time = Date.parse(modifiedTime);
  const modified = Number.isNaN(time) ? undefined : new Date(time).toISOString();
  const version = md5Checksum ?? modified;
  const mimetype = exported?.mimetype ?? mimeType;
  const shownName = name === '' ? id : name;
  return [
    {
      id,
      name: exported ? `${shownName}.${exported.extension}` : shownName,
      isDocument: !isFolder,
      isFolder,
      // The size of an export is known only when it has been made.
      size: !exported && Number.isSafeInteger(size) && size > 0 ? size : 0,
      ...(modified === undefined ? {} : { modifiedTime: modified }),
      ...(version === undefined ? {} : { version }),
      ...(webViewLink !== undefined && /^https?:\/\//.test(webViewLink) ? { webUrl: webViewLink } : {}),
      ...(mimetype === '' || mimetype === 'application/octet-stream' ? {} : { mimetype: mimetype.toLowerCase() }),
      ...(isOther ? { skip: describeSkip(mimeType) } : {}),
    },
  ];
}

function describeSkip(mimeType: string): string {
  return mimeType === `${google}shortcut` ? 'Shortcuts are not followed' : 'Google has no export for this kind of file';
}
