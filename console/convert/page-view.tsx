import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../texts';
import type { PageImage } from './page-images';

/** One page of the converted document as a picture, with a choice of pages. */
export function PageView({ images }: { images: readonly PageImage[] }) {
  const [at, setAt] = useState(0);
  const image = images[at];
  return (
    <section aria-label={texts.convert.page}>
      <NativeSelect
        label={texts.convert.page}
        value={at}
        data={images.map(({ number }, index) => ({ value: String(index), label: String(number) }))}
        onChange={(event) => setAt(Number(event.currentTarget.value))}
      />
      {image ? <img className="page-picture" src={image.uri} alt={texts.convert.pageImage(image.number)} /> : null}
    </section>
  );
}
