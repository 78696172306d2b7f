import type { ImageRef } from '../../document/model';
import type { ReadRelated } from '../format';
import { createImages } from '../ooxml/image';

/** Extensions that TeX tries if the name has none. */
const extensions = ['', '.png', '.jpg', '.jpeg'];

/** Reads pictures next to the document; undefined for vector formats, large files and missing files. */
export function createPictureReader(related: ReadRelated): (path: string) => ImageRef | undefined {
  const images = createImages({
    zip: {
      read: (name) => related(name),
      declaredSize: (name) => related(name)?.length,
    },
  });
  return (path) => {
    for (const extension of extensions) {
      const image = images(path + extension);
      if (image) return image;
    }
    return undefined;
  };
}
