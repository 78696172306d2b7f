export { searchTargetOf } from './schema';
