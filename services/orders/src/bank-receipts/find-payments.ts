import type { CommandContext } from '@quittance/runtime/handler'
import type { StatementCredit } from './statement-credit.ts'

const find = `
  select id, provider_payment as reference, currency from payments
  where payment_account_id = :account and provider_payment = any (:references) and organization_id = any (:scope_organizations)`

/** Finds the payment whose reference a credit names, written anywhere and with any spaces, in the same currency. */
export async function findPayments(
  { sql }: CommandContext,
  { accountId, credits }: { accountId: string; credits: readonly StatementCredit[] },
): Promise<Map<StatementCredit, string>> {
  const named = credits.map((credit) => [credit, credit.isUndivided ? [] : extractReferences(credit.text)] as const)
  const references = [...new Set(named.flatMap(([, each]) => each))]
  const rows = await sql<{ id: string; reference: string | null; currency: string }>('bank-receipts.find-payments', find, {
    account: accountId,
    references,
  })
  const byReference = new Map(rows.map((row) => [row.reference, row]))
  const found = named.flatMap(([credit, each]): [StatementCredit, string][] => {
    const matches = new Set(
      each.flatMap((reference) => byReference.get(reference) ?? []).filter(({ currency }) => currency === credit.currency),
    )
    const [only] = matches
    // A credit that names two payments is divided by a person.
    return only && matches.size === 1 ? [[credit, only.id]] : []
  })
  return new Map(found)
}

/** Returns everything in a text that has the form of a reference of a payment by bank transfer. */
export function extractReferences(text: string | null): string[] {
  const compact = (text ?? '').replace(/\s/g, '').toUpperCase()
  return [...compact.matchAll(/(?=(RF\d{2}[0-9A-Z]{12}))/g)].map(([, reference]) => reference as string)
}
