/** Default of `max_removed_percent`: a listing that lacks more than this share of the earlier documents removes none. */
export const defaultRemovedPercent = 50;
