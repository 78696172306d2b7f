import { getServiceName } from '../../formats/format';
import { findFormat, formats } from '../../formats/list';
import { unreadFormats } from '../../model/conversion/request/formats';
import { inputFormats } from '../../model/conversion/request/input-formats';

test('from_formats has the name of every format, and the additional names that clients know', () => {
  const names = new Set([...formats.map(getServiceName), ...unreadFormats]);
  expect([...inputFormats].toSorted()).toEqual([...names].toSorted());
});

test('names are unique', () => {
  expect(new Set(formats.map(({ name }) => name)).size).toBe(formats.length);
});

test.each(formats)('the formats that $name overrides exist', ({ overrides = [] }) => {
  expect(overrides.filter((name) => !findFormat(name))).toEqual([]);
});

test('one format reads text files without an extension', () => {
  expect(formats.filter(({ readsAnyText }) => readsAnyText).map(({ name }) => name)).toEqual(['text']);
});
