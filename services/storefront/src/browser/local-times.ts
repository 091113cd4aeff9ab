/** Shows times in the zone of the reader; the server renders them in UTC. */
export function showLocalTimes(): void {
  const { lang } = document.documentElement
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-moment]')) {
    const format = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short', numberingSystem: 'latn' })
    element.textContent = format.format(new Date(element.dateTime))
  }
}
