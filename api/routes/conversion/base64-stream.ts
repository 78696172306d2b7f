/** Turns base64 that comes in pieces into bytes. Characters that are no base64 are passed over, as clients expect. */
export interface Base64Stream {
  write(text: Buffer): Buffer;
  /** The rest. `isWhole` is false when the text ended within a group of four, or went on behind its padding. */
  end(): { bytes: Buffer; isWhole: boolean };
}

/** A decoder for one text; both alphabets are read. */
export function createBase64Stream(): Base64Stream {
  let rest = '';
  let padding = 0;
  let isBroken = false;
  return {
    write(text) {
      let letters = text.toString('latin1');
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
