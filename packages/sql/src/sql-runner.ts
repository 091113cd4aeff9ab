import { callerCheckoutId, callerCustomerId, callerOrganizationIds, type Caller } from '@quittance/contracts/caller'
import { bindValues, statement, type Statement } from './statement.ts'
import type { Execute } from './view.ts'

/** Runs a named statement with `:name` parameters and returns its rows. */
export type SqlRunner = <Row = Record<string, unknown>>(
  name: string,
  sql: string,
  values?: Readonly<Record<string, unknown>>,
) => Promise<Row[]>

/**
 * Runs a statement in the scope of the caller. Its text must contain `:scope_organizations`, the ids of the organizations whose rows the
 * caller may reach, which is empty for callers without one. For a customer session it must also contain `:scope_customer`, and for a session
 * bound to a checkout `:scope_checkout`; both are null for other callers. The runtime binds all three.
 */
export type ScopedSql = SqlRunner & { readonly access?: 'scoped' }

/** Runs a statement across organizations: its text contains every condition. Jobs, batch consumers and declared handlers have it. */
export type SystemSql = SqlRunner & { readonly access?: 'system' }

/** What a caller may reach. */
export interface Scope {
  organizations: readonly string[]
  /** The only customer; null without this limit. */
  customer: string | null
  /** The only checkout; null without this limit. */
  checkout: string | null
}

/** Returns the scope of a caller. */
export function createScope(caller: Caller): Scope {
  return { organizations: callerOrganizationIds(caller), customer: callerCustomerId(caller), checkout: callerCheckoutId(caller) }
}

/** Condition of rows that every session of a customer may reach, whichever checkout it is bound to. */
export const sharedByCheckouts = '(:scope_checkout::uuid is null or true)'

/** Condition of rows that belong to no customer, such as products and settings: lets customer sessions run the statement. */
export const sharedByCustomers = `(:scope_customer::uuid is null or true) and ${sharedByCheckouts}`

/** Texts are constants of the code, so the maps are bounded. */
const scopedStatements = new Map<string, Statement>()
const systemStatements = new Map<string, Statement>()

/** Creates a runner in the scope that `getScope` returns when a statement runs. Each text is compiled, and its scope required, once. */
export function createScopedSql(getScope: () => Scope, execute: Execute): ScopedSql {
  return async (name, sql, values = {}) => {
    const query = scopedStatements.get(sql) ?? compileScoped(name, sql)
    const scope = getScope()
    if (scope.customer !== null) requireParameter(query, 'scope_customer')
    if (scope.checkout !== null) requireParameter(query, 'scope_checkout')
    return (await execute(query, bindScopedValues(query, { values, scope }))) as never
  }
}

/**
 * Creates a runner without a scope. The reason is for `docs/tenant-isolation.md`, which lists every call of this function outside of the
 * runtime.
 */
export function createSystemSql({ execute }: { execute: Execute }, reason: string): SystemSql {
  if (reason === '') throw new Error('System access states a reason')
  return async (name, sql, values = {}) => {
    const query = systemStatements.get(sql) ?? statement(name, sql)
    systemStatements.set(sql, query)
    return (await execute(query, bindValues(query, values))) as never
  }
}

function compileScoped(name: string, sql: string): Statement {
  const query = statement(name, sql)
  requireParameter(query, 'scope_organizations')
  scopedStatements.set(sql, query)
  return query
}

function requireParameter({ name, parameters }: Statement, required: string): void {
  if (!parameters.includes(required)) throw new Error(`Statement ${name} lacks :${required}, which the scope of its caller requires`)
}

function bindScopedValues(
  { name, parameters }: Statement,
  { values, scope }: { values: Readonly<Record<string, unknown>>; scope: Scope },
): unknown[] {
  return parameters.map((parameter) => {
    if (parameter === 'scope_organizations') return scope.organizations
    if (parameter === 'scope_customer') return scope.customer
    if (parameter === 'scope_checkout') return scope.checkout
    if (!(parameter in values)) throw new Error(`Statement ${name} lacks a value for :${parameter}`)
    return values[parameter]
  })
}
