/** Public API of `docloom/formats`. */
export { type Conversion, convert } from './conversion';
export { convertBytes, type ConvertedDocument, type ConvertRequest, type FailedPage } from './convert';
export { detectFormat, type DetectRequest } from './detect';
export {
  defaultLimits,
  type Format,
  type PageOptions,
  type ReadDocument,
  type ReadLimits,
  type ReadOptions,
} from './format';
export { formats } from './list';
export { defaultMemberLimits, type Member, type MemberLimits, membersOf } from './members/members';
