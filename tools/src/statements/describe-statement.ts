import type pg from 'pg'

/** A column of the rows that a statement returns. */
export interface ResultColumn {
  name: string
  /** OID of its type. */
  type: number
  /** Whether it is a column of a table that may be null; false for expressions, of which this is unknown. */
  isNullableColumn: boolean
}

interface Field {
  name: string
  tableID: number
  columnID: number
  dataTypeID: number
}

/** The part of `pg`'s connection that is passed to a custom query. */
interface Wire {
  parse(statement: { name: string; text: string }): void
  describe(statement: { type: 'S'; name: string }): void
  sync(): void
}

const nullable = `select attrelid::int8::text || ' ' || attnum as key from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attnotnull`

/** Returns a function that has PostgreSQL analyse a statement, without running it. Throws what PostgreSQL rejects. */
export async function createDescriber(client: pg.Client): Promise<(text: string) => Promise<ResultColumn[]>> {
  const { rows } = await client.query<{ key: string }>(nullable)
  const nullableColumns = new Set(rows.map(({ key }) => key))
  return async (text) =>
    (await describe(client, text)).map(({ name, tableID, columnID, dataTypeID }) => ({
      name,
      type: dataTypeID,
      isNullableColumn: nullableColumns.has(`${tableID} ${columnID}`),
    }))
}

function describe(client: pg.Client, text: string): Promise<Field[]> {
  return new Promise((resolve, reject) => {
    let fields: Field[] = []
    const query = {
      submit(wire: Wire) {
        wire.parse({ name: '', text })
        wire.describe({ type: 'S', name: '' })
        wire.sync()
        return null
      },
      handleRowDescription: (described: { fields: Field[] }) => void (fields = described.fields),
      handleError: reject,
      handleReadyForQuery: () => resolve(fields),
    }
    client.query(query as unknown as pg.Submittable)
  })
}
