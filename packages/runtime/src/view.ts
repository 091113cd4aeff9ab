import { createHash } from 'node:crypto'
import { customerOf, organizationsOf, type Caller } from '@quittance/contracts/caller'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { bind, statement, type Statement } from './statement.ts'

/**
 * How an aggregate looks from outside: the one SQL that gets, lists and events share. Column aliases are the keys of the
 * reply. Rows are bound to the caller's organizations (and to the customer, for portal callers) by `read`, never by the
 * statement's author, so a forgotten `where` cannot leak.
 */
export interface View<Reply> {
  readonly reply?: Reply
  name: string
  columns: string
  from: string
  /** Column that holds the organization; null only with `because`. */
  organization: string | null
  /** Column that holds the customer; a customer is refused where there is none. */
  customer?: string
  /** Why rows are not bound to an organization: for example, found by the hash of a secret. */
  because?: string
}

/** A reply as PostgreSQL wrote it; travels to the client without being parsed again. */
export type JsonText<Reply> = string & { readonly reply?: Reply }

/** Runs a statement and gives its rows. */
export type Execute = (query: Statement, values: unknown[]) => Promise<Record<string, unknown>[]>

/** What to pick from a view. Conditions are written in the view's own aliases with `:name` parameters. */
export interface Pick {
  where: string
  values?: Readonly<Record<string, unknown>>
}

/** The first objects in an order, uncounted: for readers that go on from the last one they saw. */
export interface FirstPick extends Pick {
  orderBy: string
  limit: number
}

/** A page of a view. `orderBy` is never taken from a request as it is, only from a table of known columns. */
export interface PagePick extends Pick {
  orderBy: string
  page: number
  limit: number
}

/** The reply of a list. */
export interface Page<Item> {
  items: Item[]
  pagination: { total_count: number; max_page: number }
}

export interface Read {
  /** The one object, or `ResourceNotFound`. */
  one<Reply>(view: View<Reply>, pick: Pick): Promise<JsonText<Reply>>
  /** The one object, or null. */
  oneOrNull<Reply>(view: View<Reply>, pick: Pick): Promise<JsonText<Reply> | null>
  /** The first few, without counting the rest. */
  first<Reply>(view: View<Reply>, pick: FirstPick): Promise<JsonText<Reply[]>>
  /** A page with its pagination. */
  page<Reply>(view: View<Reply>, pick: PagePick): Promise<JsonText<Page<Reply>>>
}

const compiled = new Map<string, Statement>()

function prepare(view: View<unknown>, kind: string, sql: () => string): Statement {
  const key = `${view.name}\n${kind}`
  let found = compiled.get(key)
  if (!found) {
    const text = sql()
    found = statement(`${view.name}:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`, text)
    compiled.set(key, found)
  }
  return found
}

/** Conditions that tie a view's rows to the caller. */
function boundTo(view: View<unknown>, caller: Caller): string {
  if (view.organization === null) {
    if (!view.because) throw new Error(`View ${view.name} is bound to no organization and does not say why`)
    return 'true'
  }
  if (caller.kind !== 'customer') return `${view.organization} = any(:organizations)`
  if (!view.customer) throw new Error(`View ${view.name} cannot be read by a customer`)
  return `${view.organization} = any(:organizations) and ${view.customer} = :customer`
}

/** Reads for one caller. */
export function readFor(caller: Caller, execute: Execute): Read {
  const scope = { organizations: organizationsOf(caller), customer: customerOf(caller) }

  async function oneOrNull<Reply>(view: View<Reply>, { where, values }: Pick): Promise<JsonText<Reply> | null> {
    const binding = boundTo(view, caller)
    const query = prepare(
      view,
      `one\n${binding}\n${where}`,
      () => `select row_to_json(v)::text as json from (select ${view.columns} from ${view.from} where ${binding} and (${where})) v`,
    )
    const [row] = await execute(query, bind(query, { ...values, ...scope }))
    return row ? (row['json'] as string) : null
  }

  return {
    oneOrNull,
    async one(view, pick) {
      const found = await oneOrNull(view, pick)
      if (found === null) throw new ResourceNotFound()
      return found
    },
    async first(view, { where, values, orderBy, limit }) {
      const binding = boundTo(view, caller)
      const query = prepare(
        view,
        `first\n${binding}\n${where}\n${orderBy}`,
        () => `select coalesce(json_agg(row_to_json(v)), '[]')::text as items from
          (select ${view.columns} from ${view.from} where ${binding} and (${where}) order by ${orderBy} limit :limit) v`,
      )
      const [row] = await execute(query, bind(query, { ...values, ...scope, limit }))
      return row?.['items'] as string
    },
    async page(view, { where, values, orderBy, page, limit }) {
      const binding = boundTo(view, caller)
      const query = prepare(view, `page\n${binding}\n${where}\n${orderBy}`, () =>
        pageSql(view, { filter: `${binding} and (${where})`, orderBy }),
      )
      const parameters = { ...values, ...scope, limit, offset: (page - 1) * limit }
      const [row] = await execute(query, bind(query, parameters))
      const total = Number(row?.['total_count'] ?? 0)
      const items = (row?.['items'] as string | null) ?? '[]'
      return `{"items":${items},"pagination":{"total_count":${total},"max_page":${Math.ceil(total / limit)}}}`
    },
  }
}

function pageSql(view: View<unknown>, { filter, orderBy }: { filter: string; orderBy: string }): string {
  return `select (select count(*) from ${view.from} where ${filter}) as total_count,
    (select json_agg(row_to_json(v))::text from
      (select ${view.columns} from ${view.from} where ${filter} order by ${orderBy} limit :limit offset :offset) v) as items`
}

/** An object inside a view: from columns of the same row, or from the one row of another table. Null where there is none. */
export function nested(columns: string, row?: string): string {
  return `(select row_to_json(x) from (select ${columns}${row ? ` from ${row}` : ''}) x)`
}

/** A list inside a view, from rows of another table. Empty, never null. */
export function nestedList(columns: string, rows: string): string {
  return `coalesce((select json_agg(row_to_json(x)) from (select ${columns} from ${rows}) x), '[]'::json)`
}
