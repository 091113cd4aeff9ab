import type pg from 'pg'

interface PlanNode {
  'Node Type': string
  Operation?: string
  'Relation Name'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  Filter?: string
  Plans?: PlanNode[]
}

const partitions = `select child.relname as name, a.attname as key from pg_inherits i
  join pg_class child on child.oid = i.inhrelid
  join pg_partitioned_table p on p.partrelid = i.inhparent
  join pg_attribute a on a.attrelid = i.inhparent and a.attnum = any (p.partattrs)`

/** With these, the plan of a large table is the plan of an empty one too. */
const planLikeLargeTables = `set enable_hashjoin = off; set enable_mergejoin = off; set enable_seqscan = off; set enable_bitmapscan = off`

/**
 * Returns a function that plans a statement and reports whether it locks or changes rows and chooses partitions by a value that it finds while it
 * runs. PostgreSQL 18 (seen with 18.4) initializes that choice again when it checks a row that was changed at the same time (EvalPlanQual), and
 * frees it with the check: the rest of the statement reads freed memory, and the whole server restarts. `is not distinct from` compares the
 * same without a choice.
 */
export async function createPruningFinder(client: pg.Client): Promise<(text: string) => Promise<boolean>> {
  const { rows } = await client.query<{ name: string; key: string }>(partitions)
  const keys = new Map(rows.map(({ name, key }) => [name, key]))
  await client.query(planLikeLargeTables)
  return async (text) => {
    if (keys.size === 0) return false
    const explained = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (generic_plan, costs off, format json) ${text}`)
    const nodes = explained.rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => flatten(Plan)))
    return nodes.some(checksRows) && nodes.some((node) => isPruned(node, keys))
  }
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)]
}

function checksRows({ 'Node Type': type, Operation: operation }: PlanNode): boolean {
  return type === 'LockRows' || (type === 'ModifyTable' && operation !== 'Insert')
}

/** Whether the key of a partition is compared with a column of another node. */
function isPruned(node: PlanNode, keys: ReadonlyMap<string, string>): boolean {
  const key = keys.get(node['Relation Name'] ?? '')
  const conditions = [node['Index Cond'], node['Recheck Cond'], node.Filter].join(' ')
  return key !== undefined && new RegExp(String.raw`\b${key} (=|[<>]=?) \(*(InitPlan|[a-z]\w*\.)`).test(conditions)
}
