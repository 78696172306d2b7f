/** Encodings by the character set of a typeface (RTF 1.9.1, `\fcharset`; MS-WMF, 2.1.1.5), except the Western one. */
export const charsetEncodings: Readonly<Record<number, string>> = {
  77: 'macintosh',
  128: 'cp932',
  129: 'cp949',
  134: 'cp936',
  136: 'cp950',
  161: 'cp1253',
  162: 'cp1254',
  163: 'cp1258',
  177: 'cp1255',
  178: 'cp1256',
  186: 'cp1257',
  204: 'cp1251',
  222: 'cp874',
  238: 'cp1250',
};
