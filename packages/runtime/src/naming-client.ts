import pg from 'pg'
import { nameOfText } from './statement.ts'

/** Requests choose which columns change. What goes beyond is prepared anew each time: nobody fills the memory of our sessions with plans. */
const mostNamed = 500
const names = new Map<string, string>()

/** Not of reads: `select o.*` under a name would fail at replicas that run while another adds a column. */
const isWrite = /^(insert|update|delete) /

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known || names.size >= mostNamed || !isWrite.test(text)) return known
  const name = nameOfText('orm', text)
  names.set(text, name)
  return name
}

type Query = (config: unknown, ...given: unknown[]) => unknown

/** Gives what the mapper writes a name, so that it is prepared once per connection: a third of the cost. */
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

  /** What is asked meanwhile leaves in one packet. */
  together<T>(ask: () => T): T {
    const { stream } = (this as unknown as { connection: pg.Connection }).connection
    stream.cork()
    try {
      return ask()
    } finally {
      stream.uncork()
    }
  }
}
