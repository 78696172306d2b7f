/** The functions of libheif that this program calls. The types of the package do not cover the JavaScript build. */
declare module 'libheif-js/libheif-wasm/libheif.js' {
  /** An error of libheif, or a handle. */
  interface LibheifError {
    code: { value: number };
    message?: string;
  }

  interface DecodedImage {
    image: object;
    channels: { id: unknown; width: number; height: number; stride: number; data: Uint8Array }[];
  }

  export interface Libheif {
    heif_error_code: { heif_error_Ok: unknown };
    heif_colorspace: { heif_colorspace_RGB: unknown };
    heif_chroma: { heif_chroma_interleaved_RGBA: unknown };
    heif_channel: { heif_channel_interleaved: unknown };
    heif_context_alloc(): object | null;
    heif_context_free(context: object): void;
    heif_context_read_from_memory(context: object, bytes: Uint8Array): { code: unknown; message: string };
    heif_js_context_get_list_of_top_level_image_IDs(context: object): number[] | LibheifError;
    heif_js_context_get_image_handle(context: object, id: number): object | LibheifError;
    heif_image_handle_get_width(handle: object): number;
    heif_image_handle_get_height(handle: object): number;
    heif_image_handle_has_alpha_channel(handle: object): number | boolean;
    heif_image_handle_release(handle: object): void;
    heif_js_decode_image2(
      handle: object,
      colorspace: unknown,
      chroma: unknown,
    ): DecodedImage | LibheifError | Promise<DecodedImage | LibheifError>;
    heif_image_release(image: object): void;
  }

  /** A new engine with its own memory. */
  const createLibheif: (options: { wasmBinary: Uint8Array }) => Libheif;
  export default createLibheif;
}
