import pg from 'pg'

/** A statement with its values. A named one is prepared once per connection. */
export interface BatchStatement {
  name: string | undefined
  text: string
  values: readonly unknown[]
}

/** Result of a statement. */
export interface StatementResult {
  rows: Record<string, unknown>[]
  /** Rows changed or returned. */
  count: number
  /** Command tag: `COMMIT`, `INSERT 0 1`. */
  tag: string
}

interface Column {
  name: string
  parse(text: string): unknown
}

/** The part of `pg`'s connection that is passed to a custom query. */
interface Wire {
  stream: { cork(): void; uncork(): void }
  parsedStatements: Record<string, string>
  /** Sent, but not yet confirmed by the server. */
  submittedNamedStatements: Record<string, string>
  parse(statement: { name: string | undefined; text: string }): void
  bind(portal: { statement: string | undefined; values: readonly unknown[] }): void
  describe(portal: { type: 'P' }): void
  execute(): void
  sync(): void
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }).utils

/** Columns of prepared statements, by connection: PostgreSQL never changes them. */
const columnsByConnection = new WeakMap<object, Map<string, readonly Column[]>>()

/**
 * Sends several statements with one Sync message and skips Describe for prepared statements whose columns are known. `pg` alone sends a
 * Sync and a Describe for each. The statements run in order; if one fails, the batch fails and later ones are not run.
 */
export function executeBatch(client: pg.Client, statements: readonly BatchStatement[]): Promise<StatementResult[]> {
  return new Promise((resolve, reject) =>
    client.query(new StatementBatch(client, statements, { resolve, reject }) as unknown as pg.Submittable),
  )
}

interface Outcome {
  resolve(results: StatementResult[]): void
  reject(error: Error): void
}

/** A query of `pg` (`Submittable`): `pg` calls these methods for messages of the server. */
class StatementBatch {
  readonly #client: pg.Client
  readonly #statements: readonly BatchStatement[]
  readonly #outcome: Outcome
  readonly #columns: Map<string, readonly Column[]>
  readonly #results: StatementResult[] = []
  #current: { columns: readonly Column[]; rows: Record<string, unknown>[] } = { columns: [], rows: [] }

  constructor(client: pg.Client, statements: readonly BatchStatement[], outcome: Outcome) {
    this.#client = client
    // Converts all values first, so that an invalid one is found before anything is sent.
    this.#statements = statements.map((statement) => ({ ...statement, values: statement.values.map(prepareValue) }))
    this.#outcome = outcome
    this.#columns = columnsByConnection.get(client) ?? new Map()
    columnsByConnection.set(client, this.#columns)
  }

  /** `pg` registers a parsed statement under this name and text. */
  get name() {
    return this.#statements[this.#results.length]?.name
  }
  get text() {
    return this.#statements[this.#results.length]?.text
  }

  submit(wire: Wire): Error | null {
    const conflicting = this.#statements.find(({ name, text }) => name && (parsed(wire, name) ?? text) !== text)
    if (conflicting) return new Error(`The name ${conflicting.name} belongs to another statement`)
    wire.stream.cork()
    for (const { name, text, values } of this.#statements) {
      if (!name || !parsed(wire, name)) {
        wire.parse({ name, text })
        if (name) wire.submittedNamedStatements[name] = text
      }
      wire.bind({ statement: name, values })
      if (!name || !this.#columns.has(name)) wire.describe({ type: 'P' })
      wire.execute()
    }
    wire.sync()
    // Uncorked after everything else written in this turn, so that it is sent together.
    process.nextTick(() => wire.stream.uncork())
    return null
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: this.#client.getTypeParser(dataTypeID, 'text') }))
    this.#current.columns = columns
    if (this.name) this.#columns.set(this.name, columns)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Record<string, unknown> = {}
    const columns = this.#expected()
    // By index instead of entries: this runs for every row of every reply.
    for (let index = 0; index < columns.length; index += 1) {
      const { name, parse } = columns[index] as Column
      const text = fields[index]
      row[name] = text === null || text === undefined ? null : parse(text)
    }
    this.#current.rows.push(row)
  }

  handleCommandComplete({ text: tag }: { text: string }): void {
    if (this.name && !this.#columns.has(this.name)) this.#columns.set(this.name, [])
    this.#results.push({ rows: this.#current.rows, count: Number(/\d+$/.exec(tag)?.[0] ?? 0), tag })
    this.#current = { columns: [], rows: [] }
  }

  handleError(error: Error, wire: Wire): void {
    // Statements after the failed one were not parsed.
    for (const { name } of this.#statements) if (name) delete wire.submittedNamedStatements[name]
    this.#outcome.reject(error)
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve(this.#results)
  }

  #expected(): readonly Column[] {
    return (this.name && this.#columns.get(this.name)) || this.#current.columns
  }
}

function parsed(wire: Wire, name: string): string | undefined {
  return wire.parsedStatements[name] ?? wire.submittedNamedStatements[name]
}
