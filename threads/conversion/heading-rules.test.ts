import { ConvertOptions } from '../../model/conversion/request/options';
import { parse } from '../../model/validate';
import { findHeadingRules } from './heading-rules';

const getRules = (input: object) => findHeadingRules(parse(ConvertOptions, input, 'The options'));

test('do_pdf_heading_hierarchy, or enabled, switches the rules on, with the defaults of the service', () => {
  const rules = {
    useBookmarks: true,
    useOutlineLevels: true,
    bookmarkThreshold: 0.8,
    useNumbering: true,
    numberingSchemes: null,
    useStyle: true,
    useFontStyle: true,
    styleSizeTolerance: 0.05,
    maxLevel: 6,
  };
  expect(getRules({})).toBeUndefined();
  expect(getRules({ do_pdf_heading_hierarchy: true })).toEqual(rules);
  expect(getRules({ pdf_heading_hierarchy_options: { enabled: true, max_level: 3 } })).toEqual({
    ...rules,
    maxLevel: 3,
  });
});
