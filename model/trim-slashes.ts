/** Removes trailing slashes. The expression `/\/+$/` would take quadratic time: minutes for a megabyte of slashes. */
export function trimSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}
