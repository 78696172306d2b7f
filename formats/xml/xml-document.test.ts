import { defaultLimits } from '../format';
import { joinText } from './xml';
import { parseXmlDocument } from './xml-document';
import { readXmlHead } from './xml-head';

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseXmlDocument(bytes(text), { name: 'a.xml', limits: defaultLimits });

describe('xmlHeadOf', () => {
  test('names the root element after declaration, comments and document type', () => {
    const head = readXmlHead(
      bytes('\ufeff<?xml version="1.0"?>\n<!-- <no> -->\n<!DOCTYPE a PUBLIC "x" [<!ENTITY b "c">]>\n<?pi?><a k="v">'),
    );
    expect(head).toMatchObject({ root: 'a', tag: '<a k="v"' });
    expect(head.doctype).toContain('PUBLIC "x"');
  });
  test('takes the root from the document type if its subset is longer than the head', () => {
    const subset = '<!ENTITY n SYSTEM "f" NDATA TIF>\n'.repeat(200);
    expect(readXmlHead(bytes(`<!DOCTYPE root SYSTEM "d" [${subset}]><root/>`)).root).toBe('root');
  });
  test('is empty for data that is not XML', () => {
    expect(readXmlHead(bytes('# Title')).root).toBe('');
  });
});

describe('parseXmlDocument', () => {
  test('entities that the document declares are not expanded', () => {
    expect(joinText(parse('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>x &b; y</a>'))).toBe('x &b; y');
  });
  test('named characters of HTML and ISO 8879 are resolved, CDATA is unchanged', () => {
    expect(joinText(parse('<a>&mdash;&mgr;&amp;<![CDATA[&mdash;]]></a>'))).toBe('—μ&&mdash;');
  });
  test('a bracket in a quoted string does not end the document type', () => {
    expect(parse('<!DOCTYPE a [<!ENTITY b "]>">]><a/>').name).toBe('a');
  });
  test('malformed XML is DOCUMENT_CORRUPT', () => {
    expect(() => parse('<a><b></a>')).toThrow(expect.objectContaining({ code: 'DOCUMENT_CORRUPT' }) as Error);
  });
});
