import type { ImageRef } from '../../document/model';
import type { ReadRelated } from '../format';
import { createImages } from '../ooxml/image';

/** TeX looks for these where the name has no extension. */
const extensions = ['', '.png', '.jpg', '.jpeg'];

/** Pictures that lie beside the document, as data; undefined for vector formats, large ones and what is not there. */
export function picturesBeside(related: ReadRelated): (path: string) => ImageRef | undefined {
  const images = createImages({
    zip: {
      names: [],
      has: (name) => related(name) !== undefined,
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
