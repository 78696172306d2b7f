import type { RecordOmission } from '../../coverage';
import type { XmlHandlers } from '../../xml/xml';
import type { OoxmlPackage } from '../package';

/** Collects the texts of rich and plain strings (`si`). Phonetic guides (`rPh`) are reported as omitted. */
function createStringCollector(
  onString: (text: string) => void,
  recordOmission: RecordOmission | undefined,
): Required<XmlHandlers> {
  let text = '';
  let guide = '';
  let isText = false;
  let phoneticDepth = 0;
  return {
    open(name) {
      if (name === 'x:si') text = '';
      else if (name === 'x:rPh') phoneticDepth += 1;
      else if (name === 'x:t') isText = phoneticDepth === 0;
    },
    text(piece) {
      if (isText) text += piece;
      else if (phoneticDepth > 0) guide += piece;
    },
    close(name) {
      if (name === 'x:t') isText = false;
      else if (name === 'x:rPh') phoneticDepth -= 1;
      else if (name === 'x:si') {
        onString(unescapeControls(text));
        if (guide !== '') recordOmission?.('phonetic guide', guide);
        guide = '';
      }
    },
  };
}

/** Reads the strings that cells reference by number. */
export function readSharedStrings(
  office: OoxmlPackage,
  part: string | undefined,
  recordOmission?: RecordOmission,
): string[] {
  const strings: string[] = [];
  if (part !== undefined)
    office.scan(
      part,
      createStringCollector((text) => strings.push(text), recordOmission),
    );
  return strings;
}

/** Decodes `_x000D_`, which represents a character that XML does not allow (ECMA-376 part 1, 22.9.2.19). */
export function unescapeControls(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => {
    const character = Number.parseInt(code, 16);
    return character === 0x0d ? '' : String.fromCharCode(character);
  });
}
