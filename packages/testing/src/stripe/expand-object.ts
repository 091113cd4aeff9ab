import type { StripeAccountState } from './stripe-state.ts'

/** Replaces ids by their objects, in an object or in each of a list. */
export function expandObject(account: StripeAccountState, object: object, names: readonly string[]): object {
  const targets =
    'data' in object && Array.isArray(object.data) ? (object.data as Record<string, unknown>[]) : [object as Record<string, unknown>]
  const sources = { latest_charge: account.charges, payment_method: account.methods }
  for (const name of names.map((each) => each.replace(/^data\./, '')) as (keyof typeof sources)[]) {
    for (const target of targets) {
      const found = sources[name]?.get(String(target[name]))
      if (found) target[name] = structuredClone(found)
    }
  }
  return object
}
