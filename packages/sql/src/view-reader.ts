import { callerCheckoutId, callerOrganizationIds, type Caller } from '@quittance/contracts/caller'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { buildFirstSql, buildJoins, buildPageSql, seekThreshold } from './page-sql.ts'
import { createScope } from './sql-runner.ts'
import { bindValues, hashStatementName, statement, type Statement } from './statement.ts'
import type { Execute, JsonText, ViewQuery, ViewReader, View } from './view.ts'

const compiled = new Map<string, Statement>()

/**
 * Requests determine filters and orders. Further texts are not named and are prepared for each execution, so that the number of cached
 * plans per session is limited.
 */
const maxCompiledStatements = 1_000

function prepare(view: View<unknown>, kind: string, sql: () => string): Statement {
  const key = `${view.name}\n${kind}`
  const cached = compiled.get(key)
  if (cached) return cached
  const text = sql()
  const isCached = compiled.size < maxCompiledStatements
  const name = isCached ? hashStatementName(view.name, text) : ''
  const created = statement(name, text)
  if (isCached) compiled.set(key, created)
  return created
}

const source = (view: View<unknown>, where: string) => `${view.from} ${buildJoins(view, where)} ${view.lookupJoins ?? ''}`

/** Builds the scope condition of a view's rows. One organization uses `=`: for several, PostgreSQL cannot read an index in its order. */
function buildScopeCondition(view: View<unknown>, caller: Caller): string {
  if (view.organization === null) {
    if (!view.unscopedReason) throw new Error(`View ${view.name} has no organization column and states no reason`)
    return 'true'
  }
  const organizationCondition =
    callerOrganizationIds(caller).length === 1 ? `${view.organization} = :organization` : `${view.organization} = any(:organizations)`
  if (caller.kind !== 'customer') return organizationCondition
  if (!view.customer) throw new Error(`View ${view.name} cannot be read by a customer`)
  const customerCondition = `${organizationCondition} and ${view.customer} = :customer`
  if (callerCheckoutId(caller) === null) return customerCondition
  if (!view.checkout) throw new ResourceNotFound()
  return `${customerCondition} and (${view.checkout})`
}

/** Creates the reader of one caller. */
export function createViewReader(caller: Caller, execute: Execute): ViewReader {
  const { organizations, ...limits } = createScope(caller)
  const isMultiOrganization = organizations.length !== 1
  const scope = { organizations, organization: organizations[0], ...limits }
  // Counters have no customers; lists of a customer are short.
  const countableFilters = (names: readonly string[] | undefined) => (caller.kind === 'customer' ? undefined : names)

  async function oneOrNull<Reply>(view: View<Reply>, { where, values }: ViewQuery): Promise<JsonText<Reply> | null> {
    const scopeCondition = buildScopeCondition(view, caller)
    const query = prepare(
      view,
      `one\n${scopeCondition}\n${where}`,
      () =>
        `select row_to_json(v)::text as json from (select ${view.columns} from ${source(view, where)} where ${scopeCondition} and (${where})) v`,
    )
    const [row] = await execute(query, bindValues(query, { ...values, ...scope }))
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
      const scopeCondition = buildScopeCondition(view, caller)
      const query = prepare(view, `first\n${scopeCondition}\n${where}\n${JSON.stringify(orderBy)}`, () =>
        buildFirstSql({ view, scopeCondition, isMultiOrganization, where, order: orderBy }),
      )
      const [row] = await execute(query, bindValues(query, { ...values, ...scope, limit }))
      return row?.['items'] as string
    },
    async page(view, { where, values, filterNames, orderBy, page, limit, isPlanSensitive = false }) {
      const scopeCondition = buildScopeCondition(view, caller)
      const offset = (page - 1) * limit
      const spec = { scopeCondition, isMultiOrganization, where, filterNames: countableFilters(filterNames), order: orderBy, page, limit }
      const shape = [scopeCondition, where, filterNames, orderBy, page === 1 && limit, offset >= seekThreshold]
      const prepared = prepare(view, `page\n${JSON.stringify(shape)}`, () => buildPageSql({ view, ...spec }))
      const query = isPlanSensitive ? { ...prepared, name: '' } : prepared
      const [row] = await execute(query, bindValues(query, { ...values, ...scope, limit, offset }))
      const total = Number(row?.['total_count'] ?? 0)
      const items = (row?.['items'] as string | null) ?? '[]'
      return `{"items":${items},"pagination":{"total_count":${total},"max_page":${Math.ceil(total / limit)}}}`
    },
  }
}
