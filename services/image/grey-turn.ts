import type { PixelBox } from '../../model/page/ocr';
import type { GreyImage } from './grey-image';

/** Rotates an image clockwise. */
export function turnGrey(image: GreyImage, degrees: 0 | 90 | 180 | 270): GreyImage {
  const { pixels, width, height } = image;
  if (degrees === 0) return image;
  if (degrees === 180) return { pixels: pixels.toReversed(), width, height };
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const place = degrees === 90 ? x * height + (height - 1 - y) : (width - 1 - x) * height + y;
      turned[place] = pixels[y * width + x] as number;
    }
  return { pixels: turned, width: height, height: width };
}

/** Rotates an image by a small angle around its center, so that lines that fall to the right by `radians` are level. The size stays. */
export function levelGrey(image: GreyImage, radians: number): GreyImage {
  const { width, height } = image;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const pixels = new Uint8Array(width * height);
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      const [across, down] = [column - width / 2, row - height / 2];
      pixels[row * width + column] = mixPixels(
        image,
        width / 2 + across * cos - down * sin,
        height / 2 + across * sin + down * cos,
      );
    }
  return { pixels, width, height };
}

/** The brightness between four pixels. Beyond the image, its edge continues. */
function mixPixels({ pixels, width, height }: GreyImage, x: number, y: number): number {
  const within = (value: number, end: number) => Math.min(Math.max(value, 0), end - 1);
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [shareX, shareY] = [x - left, y - top];
  const [x0, x1] = [within(left, width), within(left + 1, width)];
  const [y0, y1] = [within(top, height) * width, within(top + 1, height) * width];
  const upper = (pixels[y0 + x0] as number) * (1 - shareX) + (pixels[y0 + x1] as number) * shareX;
  const lower = (pixels[y1 + x0] as number) * (1 - shareX) + (pixels[y1 + x1] as number) * shareX;
  return Math.round(upper * (1 - shareY) + lower * shareY);
}

/** The part of an image at `box`, which has whole numbers and is inside it. */
export function cutGrey({ pixels, width }: GreyImage, { x0, y0, x1, y1 }: PixelBox): GreyImage {
  const part = new Uint8Array((x1 - x0) * (y1 - y0));
  for (let y = y0; y < y1; y += 1) part.set(pixels.subarray(y * width + x0, y * width + x1), (y - y0) * (x1 - x0));
  return { pixels: part, width: x1 - x0, height: y1 - y0 };
}
