import { decode } from 'iconv-lite';

/** Bytes that are looked at. */
const lookedAt = 64 * 1024;
/** Fewer bytes beyond ASCII tell nothing. */
const leastBytes = 4;

/** How often a character of a language stands in its usual texts: `pattern` matches those that do. */
interface Script {
  encoding: string;
  /** Characters that text in this encoding consists of, beside ASCII. */
  own: RegExp;
  /** The frequent ones among them. */
  frequent: RegExp;
}

const japanese = /[\u3041-\u30fe名前日本東京大年月人出会社国時分間上中下一都市県区町番号金額合計]/gu;

/** Those of two bytes first: what they decode wholly is rarely anything else. */
const wide: readonly Script[] = [
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
 * The encoding of text that is not UTF-8, by its characters: those of East Asia, Cyrillic ones, else windows-1252, which
 * every byte sequence fits. A guess: a document that declares its encoding is not asked.
 */
export function guessEncoding(bytes: Uint8Array): string {
  const head = bytes.subarray(0, lookedAt);
  const { high, paired } = highBytes(head);
  // Letters with accents stand alone among plain ones; other scripts come in words.
  if (high < leastBytes || paired < high * 0.7) return 'windows-1252';
  return bestOf(wide, head, high / 2) ?? bestOf(cyrillic, head, high) ?? 'windows-1252';
}

function highBytes(bytes: Uint8Array): { high: number; paired: number } {
  let [high, paired] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at]! < 0x80) continue;
    high += 1;
    if ((bytes[at - 1] ?? 0) >= 0x80 || (bytes[at + 1] ?? 0) >= 0x80) paired += 1;
  }
  return { high, paired };
}

/** The script whose characters nearly all of the text consists of, the one with more frequent ones before others. */
function bestOf(scripts: readonly Script[], bytes: Uint8Array, expected: number): string | undefined {
  let best: { encoding: string; share: number } | undefined;
  for (const { encoding, own, frequent } of scripts) {
    const text = decode(bytes, encoding);
    const others = text.match(/[\u0080-\uffff]/g)?.length ?? 0;
    const owned = text.match(own)?.length ?? 0;
    // The last character may be cut.
    if (owned < others * 0.97 - 1 || owned < expected * 0.5) continue;
    const share = (text.match(frequent)?.length ?? 0) / owned;
    if (share > leastFrequent && share > (best?.share ?? 0)) best = { encoding, share };
  }
  return best?.encoding;
}

/** A script without any of its frequent characters is not the one. */
const leastFrequent = 0.02;
