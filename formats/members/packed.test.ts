import { membersOf } from './members';
import { listPackedEntries } from './packed';
import { isEncryptedRar5 } from './rar5';

/** Archives by 7-Zip 26.02: two files and a folder; the same with the password `tide`; 20 MB of zeros. */
const plain = Buffer.from(
  'N3q8ryccAASl1h3SfgAAAAAAAAAgAAAAAAAAAP29aAQBAAxIZWxsbwojIERlZXAKAAAAgTMHrg/PBHGMB8hDf0Gx+v3dg6hQTcADyFE2293RYf5iUL4AyhNkFK9Z29fBwGUjZ1wz0scWPFniUOMVFJFCFEMcLrtsbGZ9D5DPnTkyATMXJ3B1DsOlD3zbq1Szu9+5G4OExdZHKSgtAAAXBhEBCW0ABwsBAAEjAwEBBV0AEAAADHoKAQQUUrgAAA==',
  'base64',
);
const secret = Buffer.from(
  'N3q8ryccAATeP/IZqwAAAAAAAAAiAAAAAAAAANmL6UJfGSAiecNQzAuemKEe6DIR9fu4WvUnH2wb+QuC6Wl48QAAgTMHrg/QDrA8nzkQnJ+m1TPasi6wvEANrvSyziC//EDAE24XcHUTZqHrq0reIqY1OT6Gwy23+XvPNEaXYkAtOeskwkl8AE1g1YjPAQxljJLzrnxxDeNF5KJfQwZD7Hd3JmzmfpaXSz5f9Yo/im+xEhXfaqI2AOQif4LOaUkqkksmz4Hdy7OgAAAXBiABCYCLAAcLAQABIwMBAQVdABAAAAyAmgoBLSaf0QAA',
  'base64',
);
const hidden = Buffer.from(
  'N3q8ryccAAQXY3tvcAAAAAAAAAAuAAAAAAAAAInHqCSb85TGMgAjwlpzUKKs+zRWwxKTOzEi2drmVWxjr/2zlTqMhYvqwZiDlIMYs1ZPMNvrEaYPfJwyJ8Q3WFckwkptrx6kT1abRuMUTb3KcON9IrEUnfuD+T5S0rr2peOIZvFgIKJlGxH5/0v4/IvSWTQHFwYQAQlgAAcLAQABJAbxBwESUw9yAvLzU4iNW4OqltATcZD9DFYKAZjSUmgAAA==',
  'base64',
);
const zeros = Buffer.from(
  'N3q8ryccAARMBDGSqAsAAAAAAABOAAAAAAAAABwujPD/95oBa10AAG/9//+jt/9HPkgVcjlhUbiSKOajhgf57uQegtMvxTo8AUuxfsmKik0vow3Zf6bjjCMRU+BZGMV1iuJ3+LaUfwxqwN50SWTi6VxTsgTY90QMq18NbUbp5cN2iLeWV6y2TeFpHW/7S4gQbELLiD9cAI/QTq8mKJRxHz2PJOFwnqcjX+woy4XRlZiKfiqR8id19xnABphNmP3Yr9WQD8QlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS5K+qXn/eZASsA7HNTp/2+rnwxGp+3jTFucJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJUb8HlKf95kBKwDsc1On/b6ufDEan7eNMW5wnqcjX+woy4XRlZiKfiqR8id19xnABphNmP3Yr9WQD8QlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlRvweUp/3mQErAOxzU6f9vq58MRqft40xbnCepyNf7CjLhdGVmIp+KpHyJ3X3GcAGmE2Y/div1ZAPxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgQvndUz34KWQJO4DLKmzftTvwxL0uX6oPPktmQpATDv8Qk/hxeFn4C83/lShGD6n8fN77mjAuVsCPhfODgcBlxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgQvndUz34KWQJO4DLKmzftTvwxL0uX6oPPktmQpATDv8Qk/hxeFn4C83/lShGD6n8fN77mjAuVsCPhfODgcBlxCVG/B5Sn/eZASsA7HNTp/2+rnwxGp+3jTFucJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJUb8HlKf95kBKwDsc1On/b6ufDEan7eNMW5wnqcjX+woy4XRlZiKfiqR8id19xnABphNmP3Yr9WQD8QlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlRvweUp/3mQErAOxzU6f9vq58MRqft40xbnCepyNf7CjLhdGVmIp+KpHyJ3X3GcAGmE2Y/div1ZAPxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgQvndUz34KWQJO4DLKmzftTvwxL0uX6oPPktmQpATDv8Qk/hxeFn4C83/lShGD6n8fN77mjAuVsCPhfODgcBlxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgQvndUz34KWQJO4DLKmzftTvwxL0uX6oPPktmQpATDv8Qk/hxeFn4C83/lShGD6n8fN77mjAuVsCPhfODgcBlxCVG/B5Sn/eZASsA7HNTp/2+rnwxGp+3jTFucJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJUb8HlKf95kBKwDsc1On/b6ufDEan7eNMW5wnqcjX+woy4XRlZiKfiqR8id19xnABphNmP3Yr9WQD8QlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlRvweUpF4lACnAOxzU6f9vq58MRqft40xbnCepyNf7CjLhdGVmIp+KpHyJ3X3GcAGmE2Y/div1ZAPxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgQvndUz34KWQJO4DLKmzftTvwxL0uX6oPPktmQpATDv8Qk/hxeFn4C83/lShGD6n8fN77mjAuSdbdTQAAAAEEBgABCYuoAAcLAQABISEBGQzhAC0xAAgKAf1T9SMAAAUBGQgAAAAAAAAAABEVAHoAZQByAG8AcwAuAHQAeAB0AAAAFQYBACCApIEAAA==',
  'base64',
);

async function list(name: string, bytes: Uint8Array): Promise<unknown[]> {
  const members: unknown[] = [];
  for await (const member of membersOf({ name, bytes }, { embedded: false }))
    members.push(
      'problem' in member ? [member.path, member.problem.code] : [member.path, Buffer.from(member.bytes).toString()],
    );
  return members;
}

test('files of a 7-Zip archive are listed with their names in any script, whatever the name of the archive', async () => {
  const files = [
    ['a.txt', 'Hello\n'],
    ['sub/prüfung 試験.md', '# Deep\n'],
  ];
  expect(await list('a.7z', plain)).toEqual(files);
  expect(await list('download', plain)).toEqual(files);
});

test('only requested files are read, in the order of the archive', async () => {
  const wanted = new Set(['sub/prüfung 試験.md']);
  const members = [];
  for await (const member of membersOf({ name: 'a.7z', bytes: plain }, { embedded: false, wanted }))
    members.push(member.path);
  expect(members).toEqual([...wanted]);
});

test('files with a password are refused by name, and an archive with encrypted names as a whole', async () => {
  expect(await list('a.7z', secret)).toEqual([['a.txt', 'DOCUMENT_ENCRYPTED']]);
  await expect(list('a.7z', hidden)).rejects.toMatchObject({ code: 'DOCUMENT_ENCRYPTED' });
});

test('a file that expands excessively is not read, and neither are those after it', async () => {
  expect(await list('zeros.7z', zeros)).toEqual([['zeros.txt', 'DOCUMENT_TOO_LARGE']]);
});

test.each([
  ['a truncated archive', plain.subarray(0, 100)],
  ['RAR with nothing after the signature', Buffer.from('Rar!\x1a\x07\x01\x00nothing', 'latin1')],
])('%s is refused', async (_, bytes) => {
  await expect(list('a', bytes)).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});

test('a damaged file is refused, and the error names it', async () => {
  const bytes = Buffer.from(plain);
  bytes[40]! ^= 0xff;
  expect(await list('a.7z', bytes)).toContainEqual(['a.txt', 'DOCUMENT_CORRUPT']);
});

test('a RAR 5 archive whose file has an encryption record is refused, although its content would decompress to noise', () => {
  const header = [2, 3, 2, 0, 0, 2, 0, 0, 0, 0, 1, 97, 1, 1];
  const bytes = Buffer.concat([
    Buffer.from('Rar!\x1a\x07\x01\x00', 'latin1'),
    Buffer.from([0, 0, 0, 0, header.length, ...header]),
    Buffer.from([0, 0]),
  ]);
  expect(isEncryptedRar5(bytes)).toBe(true);
  expect(isEncryptedRar5(plain)).toBe(false);
});

test('without the package, the error names what to install', async () => {
  const importPackage = async () => Promise.reject(new Error('Cannot find module'));
  await expect(listPackedEntries('a.7z', plain, { maxBytes: 1e6, importPackage })).rejects.toMatchObject({
    code: 'OPTIONAL_PACKAGE_MISSING',
    message: expect.stringContaining('npm install libarchive.js'),
  });
});
