/** Turns base64 that comes in pieces into bytes. Characters that are no base64 are passed over, as clients expect. */
export interface Base64Stream {
  write(text: Buffer): Buffer;
  /** The rest. `isWhole` is false when the text ended within a group of four, or went on behind its padding. */
  end(): { bytes: Buffer; isWhole: boolean };
}

const dataScheme = 'data:';

/** A decoder for one text; both alphabets are read, and what stands before the comma of a `data:` address is passed over. */
export function createBase64Stream(): Base64Stream {
  const decoder = createDecoder();
  let head: string | undefined = '';
  return {
    write(text) {
      if (head === undefined) return decoder.write(text.toString('latin1'));
      head += text.toString('latin1');
      if (dataScheme.startsWith(head.slice(0, dataScheme.length).toLowerCase())) {
        const comma = head.indexOf(',');
        // Before the comma nothing but the kind of the data stands, which is short.
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
  let rest = '';
  let padding = 0;
  let isBroken = false;
  return {
    write(text: string) {
      let letters = text;
      if (/[^A-Za-z0-9+/_-]/.test(letters)) letters = letters.replaceAll(/[^A-Za-z0-9+/_=-]/g, '');
      const pad = letters.indexOf('=');
      if (padding > 0 && /[^=]/.test(letters)) isBroken = true;
      if (pad >= 0) {
        if (/=[^=]/.test(letters)) isBroken = true;
        padding += letters.length - pad;
        letters = letters.slice(0, pad);
      }
      const all = rest + letters;
      const whole = all.length - (all.length % 4);
      rest = all.slice(whole);
      return Buffer.from(all.slice(0, whole), 'base64');
    },
    end() {
      const isWhole = !isBroken && (rest.length + padding) % 4 === 0 && padding < 4;
      return { bytes: Buffer.from(rest, 'base64'), isWhole };
    },
  };
}
