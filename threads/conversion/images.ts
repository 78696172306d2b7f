import { hash } from 'node:crypto';
import type { DoclingDocument, PictureItem } from '../../document/model';

/** An image file that outputs refer to. */
export interface ImageFile {
  name: string;
  bytes: Uint8Array;
}

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'image/tiff': 'tiff',
};

/** Returns the document without the image data of its pictures. */
export function omitImages(document: DoclingDocument): DoclingDocument {
  return { ...document, pictures: document.pictures.map((picture) => ({ ...picture, image: null })) };
}

/** Returns the document with its pictures as separate files, named by position and content hash. */
export function extractImageFiles(document: DoclingDocument): { document: DoclingDocument; files: ImageFile[] } {
  const files: ImageFile[] = [];
  const pictures = document.pictures.map((picture, index): PictureItem => {
    const { image } = picture;
    const bytes = image ? decodeDataUri(image.uri) : undefined;
    if (!image || !bytes) return picture;
    const extension = extensions[image.mimetype] ?? image.mimetype.replace(/^image\/(?:x-)?/, '').replace(/\W.*$/, '');
    const name = `artifacts/image_${String(index).padStart(6, '0')}_${hash('sha256', bytes)}.${extension || 'png'}`;
    files.push({ name, bytes });
    return { ...picture, image: { ...image, uri: name } };
  });
  return { document: { ...document, pictures }, files };
}

function decodeDataUri(uri: string): Uint8Array | undefined {
  const match = /^data:[^,]*;base64,/.exec(uri);
  return match ? Buffer.from(uri.slice(match[0].length), 'base64') : undefined;
}
