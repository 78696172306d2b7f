import { ConfigurationError } from '../core/errors';
import type { LanguageModel } from './language-model';

/** One question to a vision service: the whole in words, and a picture. */
export interface PictureQuestion {
  prompt: string;
  image: { bytes: Uint8Array; mimetype: string };
}

/** A vision service, which knows no schemas and takes one picture, in the form that the backend `vlm` asks for. */
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
