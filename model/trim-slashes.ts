/** Without the slashes at its end. The expression `/\/+$/` takes the square of their number: minutes for a megabyte of them. */
export function trimSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}
