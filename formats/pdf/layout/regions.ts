import { addAll } from '../../../model/lists/add-all';
import type { Detection, RegionLabel } from '../../../model/page/page-models';
import { type Box, computeCoverage, union } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import type { Line, Word } from '../text/line';
import { cutLine } from '../text/lines';

/** A region found by a model, in page coordinates. */
export type FoundRegion = Omit<Detection<RegionLabel>, 'box'> & { box: Box };

/** A region with its lines, in file order. */
export interface Region extends FoundRegion {
  lines: Line[];
}

/** Minimum score for each label; models score rare or small regions lower. */
const minScores: Record<RegionLabel, number> = {
  caption: 0.5,
  footnote: 0.5,
  formula: 0.5,
  list_item: 0.5,
  page_footer: 0.5,
  page_header: 0.5,
  picture: 0.5,
  section_header: 0.45,
  table: 0.5,
  text: 0.5,
  title: 0.45,
  document_index: 0.45,
  code: 0.45,
  checkbox_selected: 0.45,
  checkbox_unselected: 0.45,
  form: 0.45,
  key_value_region: 0.45,
};

/** Regions that may contain others. Forms are dropped: their content is text. */
const holders = new Set<RegionLabel>(['picture', 'table', 'document_index', 'form', 'key_value_region']);
const minLineShare = 0.2;
/** A line with a smaller share inside its region may belong to two. */
const wholeLineShare = 0.8;
/** Two regions that overlap by more than this share, of their union or of either, are the same region. */
const sameRegion = 0.8;
/** A picture that covers a larger share of the page is the page itself. */
const maxPictureShare = 0.9;
const maxRounds = 3;

/** How much smaller, and how much higher in score, a region must be to replace a larger one. */
interface Preference {
  area: number;
  score: number;
}
const preferences = {
  text: { area: 1.3, score: 0.05 },
  picture: { area: 2, score: 0.3 },
  holder: { area: 2, score: 0.2 },
} satisfies Record<string, Preference>;

/**
 * Resolves overlaps between regions, assigns each line to one, and returns the unassigned lines. `aside` contains sideways
 * lines, which only tables and pictures accept. Drops text regions without text.
 */
export function settleRegions(
  regions: readonly FoundRegion[],
  { lines, aside, width, height }: { lines: readonly Line[]; aside: readonly Line[]; width: number; height: number },
): { regions: Region[]; rest: Line[]; aside: Line[] } {
  const sure = regions.filter((region) => isSure(region) && computeArea(region.box) > 0);
  const texts = dropOverlaps(
    sure.filter(({ label }) => !holders.has(label)).map((region): Region => ({ ...region, lines: [] })),
    preferences.text,
  );
  const unassigned = assignLines(texts, lines);
  let settled = texts.filter((region) => region.lines.length > 0);
  for (let round = 0, before = -1; round < maxRounds && before !== settled.length; round += 1) {
    before = settled.length;
    for (const region of settled) region.box = union(region.lines.map(({ box }) => box));
    settled = dropOverlaps(settled, preferences.text);
  }
  const keptRegions = settleHolders(
    sure.filter(({ label }) => holders.has(label)),
    width * height,
  );
  return fillHolders(keptRegions, settled, [...unassigned, ...aside]);
}

/** True if the score is high enough for the region to count. */
export function isSure({ label, score }: FoundRegion): boolean {
  return score >= minScores[label];
}

function settleHolders(foundRegions: readonly FoundRegion[], pageArea: number): Region[] {
  const tables = foundRegions.filter(({ label }) => label === 'table');
  const isShown = ({ label, box }: FoundRegion) =>
    label !== 'picture' ||
    (computeArea(box) <= maxPictureShare * pageArea &&
      tables.every((table) => computeUnionArea(table.box, box) <= sameRegion));
  const regions = foundRegions.filter(isShown).map((region): Region => ({ ...region, lines: [] }));
  return [
    ...dropOverlaps(
      regions.filter(({ label }) => label !== 'picture'),
      preferences.holder,
    ),
    ...dropOverlaps(
      regions.filter(({ label }) => label === 'picture'),
      preferences.picture,
    ),
  ].filter(({ label }) => label !== 'form' && label !== 'key_value_region');
}

/** Tables and pictures absorb the regions inside them, except captions, and loose lines. */
function fillHolders(
  holders: readonly Region[],
  texts: readonly Region[],
  loose: readonly Line[],
): { regions: Region[]; rest: Line[]; aside: Line[] } {
  const usedRegions = new Set<Region>();
  let rest = [...loose];
  for (const holder of holders) {
    for (const region of texts) {
      if (
        usedRegions.has(region) ||
        region.label === 'caption' ||
        computeCoverage(region.box, holder.box) <= sameRegion
      )
        continue;
      usedRegions.add(region);
      addAll(holder.lines, region.lines);
    }
    const isInside = (line: Line) => computeCoverage(line.box, holder.box) > 0.5;
    addAll(holder.lines, rest.filter(isInside));
    holder.lines.sort((a, b) => a.order - b.order);
    rest = rest.filter((line) => !isInside(line));
  }
  return {
    regions: [...texts.filter((region) => !usedRegions.has(region)), ...holders],
    rest: rest.filter(({ isAside }) => !isAside),
    aside: rest.filter(({ isAside }) => isAside),
  };
}

/** Puts each line, or each part of a line in two regions, into the region that covers most of it; returns the rest. */
function assignLines(regions: readonly Region[], lines: readonly Line[]): Line[] {
  const rest: Line[] = [];
  for (const line of lines) {
    const best = findBest(regions, line.box, minLineShare);
    if (!best) {
      rest.push(line);
      continue;
    }
    for (const { region, words } of listPieces(regions, line, best))
      region.lines.push(words.length === line.words.length ? line : cutLine(line, words));
  }
  return rest;
}

function listPieces(
  regions: readonly Region[],
  line: Line,
  best: { region: Region; share: number },
): { region: Region; words: Word[] }[] {
  if (best.share >= wholeLineShare) return [{ region: best.region, words: line.words }];
  const pieces = groupBy(line.words, (word) => findBest(regions, word.box, 0.5)?.region ?? best.region);
  return [...pieces].map(([region, words]) => ({ region, words }));
}

function findBest(
  regions: readonly Region[],
  box: Box,
  minShare: number,
): { region: Region; share: number } | undefined {
  let best: { region: Region; share: number } | undefined;
  for (const region of regions) {
    const share = computeCoverage(box, region.box);
    if (share > (best?.share ?? minShare)) best = { region, share };
  }
  return best;
}

/** The best of each group of regions that overlap, directly or through others, with the lines of all. */
function dropOverlaps(regions: readonly Region[], preference: Preference): Region[] {
  const groups: Region[][] = [];
  for (const region of regions) {
    const touched = groups.filter((group) => group.some((other) => isSame(region.box, other.box)));
    const joined = [...touched.flat(), region];
    for (const group of touched) groups.splice(groups.indexOf(group), 1);
    groups.push(joined);
  }
  return groups.map((group) => {
    const best = findBestOfGroup(group, preference);
    best.lines = group.flatMap(({ lines }) => lines).toSorted((a, b) => a.order - b.order);
    return best;
  });
}

function isSame(a: Box, b: Box): boolean {
  return (
    computeUnionArea(a, b) > sameRegion || computeCoverage(a, b) > sameRegion || computeCoverage(b, a) > sameRegion
  );
}

/** The largest region that no other one beats, unless a smaller one has a clearly higher score. */
function findBestOfGroup(group: readonly Region[], preference: Preference): Region {
  let best: Region | undefined;
  for (const region of group) {
    if (group.some((other) => other !== region && isBeaten(region, other, preference))) continue;
    const isLarger =
      best && computeArea(region.box) > computeArea(best.box) && best.score - region.score <= preference.score;
    if (!best || isLarger) best = region;
  }
  return best ?? (group[0] as Region);
}

/** A clearly higher score wins unless its region is much smaller; no text beats a list item of its size, nor code it is in. */
function isBeaten(region: Region, other: Region, preference: Preference): boolean {
  const ratio = computeArea(region.box) / computeArea(other.box);
  if (region.label === 'list_item' && other.label === 'text' && Math.abs(1 - ratio) < 0.2) return false;
  if (region.label === 'code' && computeCoverage(other.box, region.box) > sameRegion) return false;
  return ratio <= preference.area && other.score - region.score > preference.score;
}

function computeArea({ l, r, b, t }: Box): number {
  return Math.max(r - l, 0) * Math.max(t - b, 0);
}

function computeUnionArea(a: Box, b: Box): number {
  const shared = computeCoverage(a, b) * computeArea(a);
  return shared / (computeArea(a) + computeArea(b) - shared);
}
