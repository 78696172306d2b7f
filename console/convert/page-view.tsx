import { NativeSelect } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { texts } from '../texts';
import { getImageBytes, type PageImage } from './page-images';

/** One page of the converted document as a picture, with a choice of pages. */
export function PageView({ images }: { images: readonly PageImage[] }) {
  const [index, setIndex] = useState(0);
  const image = images[index];
  return (
    <div>
      <NativeSelect
        label={texts.convert.page}
        value={index}
        data={images.map(({ number }, position) => ({ value: String(position), label: String(number) }))}
        onChange={(event) => setIndex(Number(event.currentTarget.value))}
      />
      {image ? <Picture image={image} /> : null}
    </div>
  );
}

/** Drawn on a canvas, because the content security policy of the console forbids pictures in data URIs. */
function Picture({ image }: { image: PageImage }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isCurrent = true;
    void createImageBitmap(new Blob([getImageBytes(image)])).then((bitmap) => {
      const target = canvas.current;
      if (!isCurrent || !target) return;
      target.width = bitmap.width;
      target.height = bitmap.height;
      target.getContext('2d')?.drawImage(bitmap, 0, 0);
    });
    return () => {
      isCurrent = false;
    };
  }, [image]);
  return <canvas ref={canvas} className="page-picture" role="img" aria-label={texts.convert.pageImage(image.number)} />;
}
