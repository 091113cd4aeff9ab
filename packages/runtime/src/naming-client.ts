import pg from 'pg'
import { nameOfText } from './statement.ts'

/** Requests choose which columns change. What goes beyond is prepared anew each time: nobody fills the memory of our sessions with plans. */
const mostNamed = 500
const names = new Map<string, string>()

/** Not of reads: `select o.*` under a name would fail at replicas that run while another adds a column. */
const isWrite = /^(insert|update|delete) /

/** The name of a text of the mapper; undefined for one that is prepared anew each time. */
export function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known || names.size >= mostNamed || !isWrite.test(text)) return known
  const name = nameOfText('orm', text)
  names.set(text, name)
  return name
}

type Query = (config: unknown, ...given: unknown[]) => unknown

/** Gives what the mapper writes outside of `transact.ts` a name, so that it is prepared once per connection: a third of the cost. */
export class NamingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const query = super.query.bind(this) as Query
    const named: Query = (config, values, ...rest) => {
      const name = typeof config === 'string' && Array.isArray(values) ? nameOf(config) : undefined
      return name ? query({ name, text: config, values }, ...rest) : query(config, values, ...rest)
    }
    this.query = named as pg.Client['query']
  }
}
