import { AppError } from '../../model/errors';
import { afterLikely, afterUnlikely, reductions, thresholds } from './zp-states';

/** Decodes bits that the Z'-Coder wrote (DjVu 3 specification, appendix 3). Throws DOCUMENT_CORRUPT long after the last byte. */
export interface ZpDecoder {
  /** Decodes a bit with the state at `context`, and updates the state. */
  bit(states: Uint8Array, context: number): number;
  /** Decodes a bit without a state: both values are about equally likely. */
  plainBit(): number;
}

/** Encoders omit the last bytes, a few at most, if all their bits are set. */
const maxMissingBytes = 32;

/** Starts at the first byte. */
export function createZpDecoder(bytes: Uint8Array): ZpDecoder {
  let [interval, at, buffered, bits] = [0, 0, 0, 0];
  const readByte = (): number => {
    if (at >= bytes.length + maxMissingBytes) throw new AppError('DOCUMENT_CORRUPT', 'A compressed part is cut off.');
    at += 1;
    return bytes[at - 1] ?? 0xff;
  };
  let code = (readByte() << 8) | readByte();

  /** Doubles interval and code until the interval is below a half again. */
  const scale = (): void => {
    while (interval >= 0x8000) {
      if (bits === 0) [buffered, bits] = [readByte(), 8];
      bits -= 1;
      interval = interval * 2 - 0x10000;
      code = code * 2 - 0x10000 + ((buffered >> bits) & 1);
    }
  };
  return {
    bit(states, context) {
      const state = states[context]!;
      const split = Math.min(interval + reductions[state]!, 0x6000 + ((interval + interval + reductions[state]!) >> 2));
      const likely = state & 1;
      if (code >= split) {
        // The state of a likely bit changes only when the interval is doubled.
        if (split >= 0x8000 && interval >= (thresholds[state] ?? 0)) states[context] = afterLikely[state]!;
        interval = split;
        scale();
        return likely;
      }
      interval += 0x10000 - split;
      code += 0x10000 - split;
      states[context] = afterUnlikely[state]!;
      scale();
      return 1 - likely;
    },
    plainBit() {
      // The specification gives three eighths, which is right for images; compressed text has a half.
      const split = 0x8000 + (interval >> 1);
      const isSet = code < split;
      if (isSet) code += 0x10000 - split;
      interval = isSet ? interval + 0x10000 - split : split;
      scale();
      return isSet ? 1 : 0;
    },
  };
}
