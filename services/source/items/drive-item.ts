import { Type } from '@sinclair/typebox';
import type { Item } from './item';

/** A file or folder of a drive. */
export const DriveItem = Type.Object({
  // An item with another id would be omitted and appear to be deleted.
  id: Type.String({ pattern: '^(?!\\.+$)[A-Za-z0-9!._~-]{1,512}$' }),
  name: Type.Optional(Type.String({ maxLength: 4_000 })),
  size: Type.Optional(Type.Number()),
  cTag: Type.Optional(Type.String({ maxLength: 1_000 })),
  lastModifiedDateTime: Type.Optional(Type.String({ maxLength: 100 })),
  webUrl: Type.Optional(Type.String({ maxLength: 4_000 })),
  file: Type.Optional(Type.Object({ mimeType: Type.Optional(Type.String({ maxLength: 300 })) })),
  folder: Type.Optional(Type.Object({})),
  remoteItem: Type.Optional(Type.Object({})),
  malware: Type.Optional(Type.Object({})),
  deleted: Type.Optional(Type.Object({})),
  root: Type.Optional(Type.Object({})),
});
export type DriveItem = (typeof DriveItem)['static'];
/** The members of items to request. */
export const itemMembers = 'id,name,size,cTag,lastModifiedDateTime,webUrl,file,folder,remoteItem,malware';

/** The item as listed; none for the root, and for a deleted item. */
export function toItem(item: DriveItem): Item[] {
  const { id, name = '', size = 0, cTag, lastModifiedDateTime: modified = '', webUrl, file, folder } = item;
  if (item.deleted || item.root) return [];
  const time = Date.parse(modified);
  const isFolder = folder !== undefined && !item.remoteItem;
  return [
    {
      id,
      name: name === '' ? id : name,
      isDocument: !isFolder,
      isFolder,
      size: Number.isSafeInteger(size) && size > 0 ? size : 0,
      ...(Number.isNaN(time) ? {} : { modifiedTime: new Date(time).toISOString() }),
      ...(cTag === undefined ? {} : { version: cTag }),
      ...(webUrl !== undefined && /^https?:\/\//.test(webUrl) ? { webUrl } : {}),
      ...(file?.mimeType && file.mimeType !== 'application/octet-stream'
        ? { mimetype: file.mimeType.toLowerCase() }
        : {}),
      ...findSkip(item),
    },
  ];
}

function findSkip({ remoteItem, malware, file, folder }: DriveItem): Pick<Item, 'skip'> {
  if (remoteItem) return { skip: 'Shortcuts to other drives are not followed' };
  if (malware) return { skip: 'The server reports malware' };
  return file || folder ? {} : { skip: 'Not a file' };
}
