import type { HeadingRules } from '../../formats/format';
import type { ConvertOptions } from '../../model/conversion/request/options';

/** Returns the rules of `pdf_heading_hierarchy_options`; undefined unless they are enabled. */
export function headingRulesOf(options: ConvertOptions): HeadingRules | undefined {
  const wanted = options.pdf_heading_hierarchy_options;
  if (!options.do_pdf_heading_hierarchy && !wanted.enabled) return undefined;
  return {
    useBookmarks: wanted.use_bookmarks,
    useOutlineLevels: wanted.use_outline_levels,
    bookmarkThreshold: wanted.bookmark_match_threshold,
    useNumbering: wanted.use_numbering,
    numberingSchemes: wanted.numbering_schemes,
    useStyle: wanted.use_style,
    useFontStyle: wanted.use_font_style,
    styleSizeTolerance: wanted.style_size_tolerance,
    maxLevel: wanted.max_level,
  };
}
