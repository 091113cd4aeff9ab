import { customerOf, organizationsOf, type Caller } from '@quittance/contracts/caller'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { joinsFor, pageSql, seekFrom } from './page.ts'
import { bind, nameOfText, statement, type Statement } from './statement.ts'
import type { Execute, JsonText, Pick, Read, View } from './view.ts'

const compiled = new Map<string, Statement>()

/** Requests choose filters and orders. What goes beyond is prepared anew each time: nobody fills the memory of our sessions with plans. */
const mostCompiled = 1_000

function prepare(view: View<unknown>, kind: string, sql: () => string): Statement {
  const key = `${view.name}\n${kind}`
  const known = compiled.get(key)
  if (known) return known
  const text = sql()
  const isKept = compiled.size < mostCompiled
  const name = isKept ? nameOfText(view.name, text) : ''
  const made = statement(name, text)
  if (isKept) compiled.set(key, made)
  return made
}

const source = (view: View<unknown>, where: string) => `${view.from} ${joinsFor(view, where)} ${view.details ?? ''}`

/** Conditions that tie a view's rows to the caller. One organization is `=`: for several PostgreSQL cannot read an index in its order. */
function boundTo(view: View<unknown>, caller: Caller): string {
  if (view.organization === null) {
    if (!view.because) throw new Error(`View ${view.name} is bound to no organization and does not say why`)
    return 'true'
  }
  const own = organizationsOf(caller).length === 1 ? `${view.organization} = :organization` : `${view.organization} = any(:organizations)`
  if (caller.kind !== 'customer') return own
  if (!view.customer) throw new Error(`View ${view.name} cannot be read by a customer`)
  return `${own} and ${view.customer} = :customer`
}

/** Reads for one caller. */
export function readFor(caller: Caller, execute: Execute): Read {
  const organizations = organizationsOf(caller)
  const isAcross = organizations.length !== 1
  const scope = { organizations, organization: organizations[0], customer: customerOf(caller) }
  // Counters know of no customers, whose lists are short.
  const counting = (given: readonly string[] | undefined) => (caller.kind === 'customer' ? undefined : given)

  async function oneOrNull<Reply>(view: View<Reply>, { where, values }: Pick): Promise<JsonText<Reply> | null> {
    const binding = boundTo(view, caller)
    const query = prepare(
      view,
      `one\n${binding}\n${where}`,
      () =>
        `select row_to_json(v)::text as json from (select ${view.columns} from ${source(view, where)} where ${binding} and (${where})) v`,
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
          (select ${view.columns} from ${source(view, where)} where ${binding} and (${where}) order by ${orderBy} limit :limit) v`,
      )
      const [row] = await execute(query, bind(query, { ...values, ...scope, limit }))
      return row?.['items'] as string
    },
    async page(view, { where, values, given, orderBy, page, limit, isUneven = false }) {
      const binding = boundTo(view, caller)
      const offset = (page - 1) * limit
      const asked = { binding, isAcross, where, given: counting(given), order: orderBy, page, limit }
      const shape = [binding, where, given, orderBy, page === 1 && limit, offset >= seekFrom]
      const prepared = prepare(view, `page\n${JSON.stringify(shape)}`, () => pageSql({ view, ...asked }))
      const query = isUneven ? { ...prepared, name: '' } : prepared
      const [row] = await execute(query, bind(query, { ...values, ...scope, limit, offset }))
      const total = Number(row?.['total_count'] ?? 0)
      const items = (row?.['items'] as string | null) ?? '[]'
      return `{"items":${items},"pagination":{"total_count":${total},"max_page":${Math.ceil(total / limit)}}}`
    },
  }
}
