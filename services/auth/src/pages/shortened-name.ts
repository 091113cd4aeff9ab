/** A name can be as long as its owner likes; what matters on the page is below it. */
export function shortened(name: string): string {
  const letters = [...new Intl.Segmenter('en').segment(name)].map(({ segment }) => segment)
  return letters.length > 60 ? `${letters.slice(0, 59).join('')}…` : name
}
