import { job } from '@quittance/runtime/handler'
import { anonymizedDomain } from '../customers/customer.ts'
import { anonymizeCustomersJobName } from '../job-names.ts'
import { anonymizedCheckout } from './anonymize-checkouts.ts'

const batch = 50

/** A payment, a stored method or a purchase is completed with the details it began with. */
const isBusy = `
  exists (select from checkouts ch where ch.customer_id = c.id and ch.status in ('open', 'confirmed'))
  or exists (select from orders o join payments p on p.order_id = o.id where o.customer_id = c.id and p.settled_at is null)
  or exists (select from payment_setups s where s.customer_id = c.id and s.settled_at is null)`

const address = (customerId: string) => `${customerId} || '@${anonymizedDomain}'`

// An address stays one: pages and events show that of a checkout for a buyer whose own address was only typed.
const anonymize = `
  with due as (
    select c.id, (${isBusy}) as is_busy from customers c
    where c.anonymize_due_at <= now() order by c.anonymize_due_at limit ${batch} for update skip locked),
  idle as (select id from due where not is_busy),
  their_checkouts as (
    update checkouts set ${anonymizedCheckout}, customer_email = case when customer_email is not null then ${address('customer_id')} end
    where customer_id in (select id from idle) and anonymized_at is null),
  their_payers as (
    update payers set request = jsonb_build_object('name', null, 'email', ${address('customer_id')}, 'country', null)
    where customer_id in (select id from idle)),
  their_comments as (
    update subscriptions set customer_cancellation_comment = null
    where customer_id in (select id from idle) and customer_cancellation_comment is not null),
  their_activations as (
    delete from license_key_activations a using license_keys k where k.id = a.license_key_id and k.customer_id in (select id from idle))
  update customers set anonymize_due_at = case when due.is_busy then now() + interval '1 hour' end
  from due where due.id = customers.id
  returning 1`

/** Removes the personal data that other tables hold of anonymized customers, as soon as nothing in progress needs it. */
export const anonymizeCustomers = job({
  name: anonymizeCustomersJobName,
  everyMs: 60_000,
  async run({ systemSql }) {
    return (await systemSql('customers.anonymize', anonymize)).length === batch
  },
})
