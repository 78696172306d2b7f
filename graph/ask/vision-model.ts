import { ConfigurationError } from '../core/errors';
import type { LanguageModel } from './language-model';

/** One question to a vision service: a prompt and an image. */
export interface PictureQuestion {
  prompt: string;
  image: { bytes: Uint8Array; mimetype: string };
}

/** Adapts a vision service, which supports no schemas and one image, to the interface that the backend `vlm` uses. */
export function visionModel(
  look: (question: PictureQuestion, signal?: AbortSignal) => Promise<{ text: string; isTruncated: boolean }>,
): LanguageModel {
  return {
    async ask({ system, user, images = [], signal }) {
      const [image] = images;
      if (!image) throw new ConfigurationError('A vision model was asked without a picture', { backend: 'vlm' });
      const bytes = Buffer.from(image.base64, 'base64');
      return look({ prompt: `${system}\n\n${user}`, image: { bytes, mimetype: image.mediaType } }, signal);
    },
  };
}
