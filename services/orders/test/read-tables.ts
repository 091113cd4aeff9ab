import type { OrdersUnderTest } from './start-orders.ts'

/** Returns every row of the tables that a condition on `table_name` selects, as text. */
export async function readTables(orders: Pick<OrdersUnderTest, 'rows'>, condition: string): Promise<string> {
  const [all] = await orders.rows<{ text: string }>(
    `select string_agg(t::text, E'\\n') as text from (
      select query_to_xml(format('select * from %I', table_name), true, false, '')::text from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and ${condition}) t`,
  )
  return all?.text ?? ''
}
