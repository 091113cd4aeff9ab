const iso = (column: string) => `to_json(${column})#>>'{}'`

const shared = `${iso('created_at')} as created_at, ${iso('next_check_at')} as next_check_at, ${iso('unanswered_since')} as unanswered_since,
  quarantine_reason, failure_reason, decline_code`

/**
 * Returns a part of a statement: payments and setups as an operator sees them. The conditions are of the tables `payments` and `payment_setups`.
 */
export function selectOperated({ payments, setups }: { payments: string; setups: string }): string {
  return `
  select id, 'payment' as kind, organization_id, order_id, null::uuid as customer_id, provider, provider_payment, state,
    amount::float8 as amount, currency, ${shared} from payments where ${payments}
  union all
  select id, 'setup', organization_id, null, customer_id, provider, provider_setup, state, null, null, ${shared} from payment_setups
  where ${setups}`
}
