import { createHash } from 'node:crypto'
import { Html } from '@quittance/pages/html'

/** Formats the exact time of each `<time>` in the time zone and locale of the reader. Without scripts it stays in UTC. */
const script = `
for (const element of document.querySelectorAll('time[datetime]')) {
  element.title = new Date(element.dateTime).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'short' })
}
`

export const localTimeScript = new Html(`<script>${script}</script>`)

/** Source expression for `script-src`. */
export const localTimeScriptHash = `'sha256-${createHash('sha256').update(script).digest('base64')}'`
