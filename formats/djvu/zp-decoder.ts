import { AppError } from '../../model/errors';
import { afterLikely, afterUnlikely, reductions, thresholds } from './zp-states';

/**
 * Decodes bits that the Z'-Coder wrote (DjVu 3 specification, appendix 3). Throws DOCUMENT_CORRUPT if it needs more bytes than encoders
 * omit at the end.
 */
export interface ZpDecoder {
  /** Decodes a bit with the state at `context`, and updates the state. */
  bit(states: Uint8Array, context: number): number;
  /** Decodes a bit without a state: both values are about equally likely. */
  plainBit(): number;
}

/** Encoders omit the last bytes, a few at most, if all their bits are set. */
const maxMissingBytes = 32;

/** Interval and code are fractions with 16 bits: `one` is 1. */
const one = 0x10000;
const half = 0x8000;
const threeEighths = 0x6000;

/** Starts at the first byte. */
export function createZpDecoder(bytes: Uint8Array): ZpDecoder {
  let interval = 0;
  let at = 0;
  let buffered = 0;
  let bufferedBits = 0;
  const readByte = (): number => {
    if (at >= bytes.length + maxMissingBytes) throw new AppError('DOCUMENT_CORRUPT', 'A compressed part is cut off.');
    at += 1;
    return bytes[at - 1] ?? 0xff;
  };
  let code = (readByte() << 8) | readByte();

  /** Doubles interval and code until the interval is below a half again. */
  const scale = (): void => {
    while (interval >= half) {
      if (bufferedBits === 0) {
        buffered = readByte();
        bufferedBits = 8;
      }
      bufferedBits -= 1;
      interval = interval * 2 - one;
      code = code * 2 - one + ((buffered >> bufferedBits) & 1);
    }
  };
  return {
    bit(states, context) {
      const state = states[context]!;
      const reduction = reductions[state]!;
      const split = Math.min(interval + reduction, threeEighths + ((interval + interval + reduction) >> 2));
      const likely = state & 1;
      if (code >= split) {
        // The state of a likely bit changes only when the interval is doubled.
        if (split >= half && interval >= (thresholds[state] ?? 0)) states[context] = afterLikely[state]!;
        interval = split;
        scale();
        return likely;
      }
      interval += one - split;
      code += one - split;
      states[context] = afterUnlikely[state]!;
      scale();
      return 1 - likely;
    },
    plainBit() {
      // The specification gives three eighths, which is right for images; compressed text has a half.
      const split = half + (interval >> 1);
      const isSet = code < split;
      if (isSet) code += one - split;
      interval = isSet ? interval + one - split : split;
      scale();
      return isSet ? 1 : 0;
    },
  };
}
