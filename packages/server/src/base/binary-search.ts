/** How many leading indexes of a list of this length fulfil a condition that none after them fulfils. */
export const countLeading = (length: number, fulfils: (index: number) => boolean): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fulfils(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
};
