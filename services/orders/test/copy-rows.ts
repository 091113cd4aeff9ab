import type { OrdersUnderTest } from './start-orders.ts'

interface Copies {
  table: string
  /** The row to copy; without it every row. */
  id?: string
  /** Number of copies of a row. */
  count: number
  /** SQL of the properties that differ, as JSON. */
  changed: string
}

/** Copies rows without triggers and foreign keys. A copy satisfies the checks if its changes do, because its original does. */
export async function copyRows(orders: OrdersUnderTest, { table, id, count, changed }: Copies): Promise<void> {
  const [columns] = await orders.rows<{ names: string; values: string }>(
    `select string_agg(quote_ident(attname), ', ') as names, string_agg('copy.' || quote_ident(attname), ', ') as values
     from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  // `n` makes PostgreSQL compute each copy.
  await orders.rows(`begin; set local session_replication_role = replica;
    insert into ${table} (${columns?.names}) select ${columns?.values} from ${table} t, generate_series(1, ${count}) n,
      jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()) || ${changed} || jsonb_build_object('copy', n)) copy
      where ${id ? `t.id = '${id}'` : 'true'};
    commit`)
}
