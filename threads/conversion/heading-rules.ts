import type { HeadingRules } from '../../formats/format';
import type { ConvertOptions } from '../../model/conversion/request/options';

/** Returns the rules of `pdf_heading_hierarchy_options`; undefined unless they are enabled. */
export function findHeadingRules(options: ConvertOptions): HeadingRules | undefined {
  const headingOptions = options.pdf_heading_hierarchy_options;
  if (!options.do_pdf_heading_hierarchy && !headingOptions.enabled) return undefined;
  return {
    useBookmarks: headingOptions.use_bookmarks,
    useOutlineLevels: headingOptions.use_outline_levels,
    bookmarkThreshold: headingOptions.bookmark_match_threshold,
    useNumbering: headingOptions.use_numbering,
    numberingSchemes: headingOptions.numbering_schemes,
    useStyle: headingOptions.use_style,
    useFontStyle: headingOptions.use_font_style,
    styleSizeTolerance: headingOptions.style_size_tolerance,
    maxLevel: headingOptions.max_level,
  };
}
