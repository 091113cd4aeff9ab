/** `node bench/src/plot.ts`: draws the latest recorded ratio of every comparison into docs/performance.svg. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Comparison {
  /** Scenario, and numerator and denominator of the ratio. */
  name: string
  middle: number
  least: number
  most: number
  /** The required maximum or minimum. */
  limit: number
  isLeast: boolean
  day: string
}

const root = join(import.meta.dirname, '../..')
const sentence = /^(.+) = ([\d.]+) \(rounds: ([\d.]+) … ([\d.]+)\)\. At (most|least) ([\d.]+) is (?:wanted|required)/

/** Returns the last comparison of each kind, in the order of the record. */
function latest(record: string): Comparison[] {
  const found = new Map<string, Comparison>()
  let day = ''
  let scenario = ''
  for (const line of record.split('\n')) {
    day = /^(?:## |- date: )(\d\S+)/.exec(line)?.[1] ?? day
    scenario = /^([a-z-]+): /.exec(line)?.[1] ?? scenario
    const [, what, middle, least, most, side, limit] = sentence.exec(line) ?? []
    if (!what) continue
    const name = `${scenario}: ${what}`
    const figures = { middle: Number(middle), least: Number(least), most: Number(most), limit: Number(limit) }
    found.set(name, { name, ...figures, isLeast: side === 'least', day })
  }
  return [...found.values()]
}

const rowHeight = 34
const chart = { left: 370, width: 420, top: 40 }
const width = 960

function renderChart(comparisons: readonly Comparison[]): string {
  const scale = chart.width / Math.max(...comparisons.flatMap(({ most, limit }) => [most, limit]))
  const height = chart.top + comparisons.length * rowHeight + 20
  const rows = comparisons.map((each, index) => row(each, { y: chart.top + index * rowHeight, scale }))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img">
<title>Recorded ratios and their limits</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="16" y="22" fill="#333">Median of the rounds (bar), their range (line), and the limit (mark); the last record of each</text>
${rows.join('\n')}
</svg>
`
}

function row({ name, middle, least, most, limit, isLeast, day }: Comparison, { y, scale }: { y: number; scale: number }): string {
  const at = (value: number) => (chart.left + value * scale).toFixed(1)
  const isMet = isLeast ? middle >= limit : middle <= limit
  const centre = y + 11
  return [
    `<text x="16" y="${y + 15}" fill="#111">${name.replaceAll('&', '&amp;')}</text>`,
    `<rect x="${chart.left}" y="${y}" width="${(middle * scale).toFixed(1)}" height="22" fill="${isMet ? '#8fbf9f' : '#e0a3a3'}"/>`,
    `<path d="M${at(least)} ${centre}H${at(most)}" stroke="#444"/>`,
    `<path d="M${at(limit)} ${y - 3}v28" stroke="#111" stroke-width="2"/>`,
    `<text x="${chart.left + chart.width + 8}" y="${y + 15}" fill="#333">${middle.toFixed(2)} (${isLeast ? '≥' : '≤'} ${limit}) ${day}</text>`,
  ].join('\n')
}

const history = globSync('bench/history/*.md', { cwd: root }).toSorted((a, b) => a.localeCompare(b, 'en'))
const comparisons = latest([...history, 'bench/RESULTS.md'].map((file) => readFileSync(join(root, file), 'utf8')).join('\n'))
writeFileSync(join(root, 'docs/performance.svg'), renderChart(comparisons))
console.log(`docs/performance.svg shows ${comparisons.length} comparisons`)
