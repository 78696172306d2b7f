/** Decodes base64 that arrives in chunks. Skips white space and a few invalid characters, as clients expect. */
export interface Base64Stream {
  write(text: Buffer): Buffer;
  /**
   * Returns the remaining bytes. `isWhole` is false when the text ended within a group of four, continued after its padding, or
   * contained too many other characters.
   */
  end(): { bytes: Buffer; isWhole: boolean };
}

const dataScheme = 'data:';
/** At most one in this many characters may be outside the alphabet. */
const charactersPerInvalid = 4;

/** Creates a decoder for one text. Accepts both alphabets, and skips everything before the comma of a `data:` address. */
export function createBase64Stream(): Base64Stream {
  const decoder = createDecoder();
  let head: string | undefined = '';
  return {
    write(text) {
      if (head === undefined) return decoder.write(text.toString('latin1'));
      head += text.toString('latin1');
      if (dataScheme.startsWith(head.slice(0, dataScheme.length).toLowerCase())) {
        const comma = head.indexOf(',');
        // Only the media type comes before the comma, and it is short.
        if (comma < 0 && head.length < 1_000) return Buffer.alloc(0);
        head = head.slice(comma + 1);
      }
      const letters = head;
      head = undefined;
      return decoder.write(letters);
    },
    end() {
      const bytes = head ? decoder.write(head) : Buffer.alloc(0);
      const last = decoder.end();
      return { bytes: Buffer.concat([bytes, last.bytes]), isWhole: last.isWhole };
    },
  };
}

function createDecoder() {
  let undecoded = '';
  let padding = 0;
  let isBroken = false;
  let read = 0;
  let invalid = 0;
  return {
    write(text: string) {
      let letters = text;
      if (/[^A-Za-z0-9+/_-]/.test(letters)) {
        const dense = letters.replaceAll(/\s+/g, '');
        letters = dense.replaceAll(/[^A-Za-z0-9+/_=-]/g, '');
        invalid += dense.length - letters.length;
      }
      read += letters.length;
      const pad = letters.indexOf('=');
      if (padding > 0 && /[^=]/.test(letters)) isBroken = true;
      if (pad >= 0) {
        if (/=[^=]/.test(letters)) isBroken = true;
        padding += letters.length - pad;
        letters = letters.slice(0, pad);
      }
      const decodable = undecoded + letters;
      const whole = decodable.length - (decodable.length % 4);
      undecoded = decodable.slice(whole);
      return Buffer.from(decodable.slice(0, whole), 'base64');
    },
    end() {
      const isWhole =
        !isBroken && invalid * charactersPerInvalid <= read && (undecoded.length + padding) % 4 === 0 && padding < 4;
      return { bytes: Buffer.from(undecoded, 'base64'), isWhole };
    },
  };
}
