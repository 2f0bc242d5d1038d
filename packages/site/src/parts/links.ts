/** Links as people paste them. */

/** Completes a link without its scheme, or with that of plain HTTP. Anything else stays as it is. */
export const asHttps = (text: string): string => {
  const whole = text.trim();
  return /^(http:\/\/)?[\w-]+(\.[\w-]+)+(:\d+)?\/\S*$/i.test(whole)
    ? `https://${whole.replace(/^http:\/\//i, '')}`
    : whole;
};
