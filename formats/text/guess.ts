import { decode } from 'iconv-lite';

/** Number of bytes to examine. */
const examinedBytes = 64 * 1024;
/** Fewer bytes beyond ASCII are not conclusive. */
const minHighBytes = 4;

/** Character statistics of typical texts in a language and encoding. */
interface Script {
  encoding: string;
  /** Non-ASCII characters of text in this encoding. */
  own: RegExp;
  /** The frequent characters among them. */
  frequent: RegExp;
}

const japanese = /[\u3041-\u30fe名前日本東京大年月人出会社国時分間上中下一都市県区町番号金額合計]/gu;

/** Double-byte encodings come first: bytes that are completely valid in one are rarely anything else. */
const doubleByte: readonly Script[] = [
  { encoding: 'shift_jis', own: /[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]/gu, frequent: japanese },
  { encoding: 'euc-jp', own: /[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]/gu, frequent: japanese },
  {
    encoding: 'euc-kr',
    own: /[\u3000-\u303f\uac00-\ud7a3]/gu,
    frequent: /[이가는의에다을를로은고하지도기사인시일한자대수리어정있년명아서울부산름]/gu,
  },
  {
    encoding: 'gb18030',
    own: /[\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e]/gu,
    frequent: /[的一是不了在人有我他这中大来上个国和地到时要就出会可年生名称日期市单位]/gu,
  },
  {
    encoding: 'big5',
    own: /[\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e]/gu,
    frequent: /[的一是不了在人有我他這中大來上個國和地到時要就出會可年生名稱日期市單位]/gu,
  },
];
const cyrillic: readonly Script[] = [
  { encoding: 'windows-1251', own: /[\u0400-\u045f]/g, frequent: /[оеаинтсрвл]/g },
  { encoding: 'koi8-r', own: /[\u0400-\u045f]/g, frequent: /[оеаинтсрвл]/g },
];

/**
 * Guesses the encoding of text that is not UTF-8 by its characters: East Asian, Cyrillic, or else windows-1252, which fits
 * every byte sequence. Not used for documents that declare their encoding.
 */
export function guessEncoding(bytes: Uint8Array): string {
  const head = bytes.subarray(0, examinedBytes);
  const { high, paired } = countHighBytes(head);
  // Accented letters occur singly among plain ones; words of other scripts consist of such bytes.
  if (high < minHighBytes || paired < high * 0.7) return 'windows-1252';
  return findBest(doubleByte, head, high / 2) ?? findBest(cyrillic, head, high) ?? 'windows-1252';
}

function countHighBytes(bytes: Uint8Array): { high: number; paired: number } {
  let [high, paired] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at]! < 0x80) continue;
    high += 1;
    if ((bytes[at - 1] ?? 0) >= 0x80 || (bytes[at + 1] ?? 0) >= 0x80) paired += 1;
  }
  return { high, paired };
}

/** A script with a smaller share of its frequent characters is not the right one. */
const minShare = 0.02;

/** Returns the encoding to which nearly all characters belong; of several, the one with the largest share of frequent characters. */
function findBest(scripts: readonly Script[], bytes: Uint8Array, expected: number): string | undefined {
  let best: { encoding: string; share: number } | undefined;
  for (const { encoding, own, frequent } of scripts) {
    const text = decode(bytes, encoding);
    const others = text.match(/[\u0080-\uffff]/g)?.length ?? 0;
    const owned = text.match(own)?.length ?? 0;
    // The last character may be cut off.
    if (owned < others * 0.97 - 1 || owned < expected * 0.5) continue;
    const share = (text.match(frequent)?.length ?? 0) / owned;
    if (share > minShare && share > (best?.share ?? 0)) best = { encoding, share };
  }
  return best?.encoding;
}
