import pg from 'pg'

/** A statement with its values. Prepared once per connection where it has a name. */
export interface Sent {
  name: string | undefined
  text: string
  values: readonly unknown[]
}

/** What came of a statement. */
export interface Answer {
  rows: Record<string, unknown>[]
  /** Rows it changed or gave. */
  count: number
  /** What was done: `COMMIT`, `INSERT 0 1`. */
  tag: string
}

interface Column {
  name: string
  parse(text: string): unknown
}

/** The part of `pg`'s connection that a query of one's own is handed. */
interface Wire {
  stream: { cork(): void; uncork(): void }
  parsedStatements: Record<string, string>
  /** Sent, and not yet known to be right. */
  submittedNamedStatements: Record<string, string>
  parse(statement: { name: string | undefined; text: string }): void
  bind(portal: { statement: string | undefined; values: readonly unknown[] }): void
  describe(portal: { type: 'P' }): void
  execute(): void
  sync(): void
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }).utils

/** Columns of what is prepared, by connection: PostgreSQL never changes those of a prepared statement. */
const described = new WeakMap<object, Map<string, readonly Column[]>>()

/**
 * Sends statements in one packet and gets their answers in one: `pg` alone has the server answer each by itself, and say anew each time
 * what its columns are. They run one after the other; the first that fails fails all, and the ones behind it are not run.
 */
export function send(client: pg.Client, statements: readonly Sent[]): Promise<Answer[]> {
  return new Promise((resolve, reject) => client.query(new Packet(client, statements, { resolve, reject }) as unknown as pg.Submittable))
}

interface Outcome {
  resolve(answers: Answer[]): void
  reject(error: Error): void
}

/** A query of `pg` (`Submittable`): it calls these methods as messages of the server come in. */
class Packet {
  readonly #client: pg.Client
  readonly #statements: readonly Sent[]
  readonly #outcome: Outcome
  readonly #columns: Map<string, readonly Column[]>
  readonly #answers: Answer[] = []
  #current: { columns: readonly Column[]; rows: Record<string, unknown>[] } = { columns: [], rows: [] }

  constructor(client: pg.Client, statements: readonly Sent[], outcome: Outcome) {
    this.#client = client
    // A value that cannot be sent is found before anything is.
    this.#statements = statements.map((statement) => ({ ...statement, values: statement.values.map(prepareValue) }))
    this.#outcome = outcome
    this.#columns = described.get(client) ?? new Map()
    described.set(client, this.#columns)
  }

  /** `pg` files a statement under these when the server has parsed it. */
  get name() {
    return this.#statements[this.#answers.length]?.name
  }
  get text() {
    return this.#statements[this.#answers.length]?.text
  }

  submit(wire: Wire): Error | null {
    const wrong = this.#statements.find(({ name, text }) => name && (parsed(wire, name) ?? text) !== text)
    if (wrong) return new Error(`The name ${wrong.name} is that of another statement`)
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
    // Behind what else is asked in this turn: it leaves together.
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
    // By index, not by pairs: this runs for every row of every reply.
    for (let index = 0; index < columns.length; index += 1) {
      const { name, parse } = columns[index] as Column
      const text = fields[index]
      row[name] = text === null || text === undefined ? null : parse(text)
    }
    this.#current.rows.push(row)
  }

  handleCommandComplete({ text: tag }: { text: string }): void {
    if (this.name && !this.#columns.has(this.name)) this.#columns.set(this.name, [])
    this.#answers.push({ rows: this.#current.rows, count: Number(/\d+$/.exec(tag)?.[0] ?? 0), tag })
    this.#current = { columns: [], rows: [] }
  }

  handleError(error: Error, wire: Wire): void {
    // What stands behind the one that failed was not parsed.
    for (const { name } of this.#statements) if (name) delete wire.submittedNamedStatements[name]
    this.#outcome.reject(error)
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve(this.#answers)
  }

  #expected(): readonly Column[] {
    return (this.name && this.#columns.get(this.name)) || this.#current.columns
  }
}

function parsed(wire: Wire, name: string): string | undefined {
  return wire.parsedStatements[name] ?? wire.submittedNamedStatements[name]
}
