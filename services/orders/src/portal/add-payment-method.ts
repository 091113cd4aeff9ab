import { callerCheckoutId, callerCustomerId, callerOrganizationIds } from '@quittance/contracts/caller'
import { PaymentError } from '@quittance/contracts/checkouts'
import {
  addCustomerPaymentMethod as addContract,
  confirmCustomerPaymentMethod as confirmContract,
  PaymentMethodActionRequired,
  type CustomerPaymentMethod,
  type StoredPaymentMethod,
} from '@quittance/contracts/customer-payment-methods'
import { NotPermitted, RequestValidationError, TooManyRequests } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { staged, type CommandContext, type FinishContext, type QueryContext } from '@quittance/runtime/handler'
import { assertMayPay, recordAttempt } from '../checkouts/payment-attempts.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { customerPaymentMethodView } from '../payment-methods/list-payment-methods.ts'
import { awaitSetup } from '../payment-setups/drive-setup.ts'
import type { PaymentSetup } from '../payment-setups/payment-setup.ts'
import { startSetup } from '../payment-setups/start-setup.ts'
import type { StartedRow } from '../payments/await-payment.ts'
import { describeFailure, noPaymentsMessage } from '../payments/buyer-messages.ts'
import { callLeaseMs } from '../payments/calls-in-progress.ts'
import { checkToken, type TokenCheck } from '../payments/check-token.ts'
import { findAccountForPayments } from '../payments/provider-account.ts'
import { requireUnboundCustomerId } from './own-customer.ts'

type Request = RequestOf<typeof addContract>

/** Stores a payment method without a charge. */
export const addCustomerPaymentMethod = staged(addContract, { prepare, commit: start, finish })

/** Reads a setup at the provider, for example after the buyer confirmed it there. */
export const confirmCustomerPaymentMethod = staged(confirmContract, { commit: requestCheck, finish })

/** A token that cannot be used is rejected before anything is written. */
async function prepare({ confirmation_token_id: token }: Request, { caller, sql, log }: QueryContext): Promise<TokenCheck | undefined> {
  const [organizationId] = callerOrganizationIds(caller)
  if (!organizationId || !callerCustomerId(caller) || callerCheckoutId(caller)) return undefined
  const means = await findAccountForPayments(sql, { organizationId })
  return means && !means.isSentByBuyer ? checkToken(token, { account: means.account, log }) : undefined
}

async function start(request: Request, context: CommandContext & { prepared: TokenCheck | undefined }): Promise<StartedRow> {
  const { caller, sql, now, prepared } = context
  const customerId = requireUnboundCustomerId(caller)
  const [organizationId] = callerOrganizationIds(caller)
  if (!organizationId || !(await lockCustomer(sql, customerId))) throw new NotPermitted('The customer was deleted.')
  await assertMayAdd(customerId, context)
  await assertMayPay({ organizationId }, context)
  const means = await findAccountForPayments(sql, { organizationId })
  if (!means || means.isSentByBuyer) throw new PaymentError(noPaymentsMessage)
  if (prepared === 'unusable') throw new PaymentError('The payment method cannot be used. Please try another one.')
  const leasedUntil = new Date(now.getTime() + callLeaseMs)
  const id = await startSetup(context, {
    customerId,
    account: means.account,
    token: request.confirmation_token_id,
    setDefault: request.set_default,
    returnUrl: request.return_url ?? null,
    leasedUntil,
  })
  await recordAttempt({ organizationId }, { paymentId: id, context })
  return { id, organizationId, lease: leasedUntil.toISOString() }
}

/** Setups of one customer within an hour, whatever their result: cards are not tested here. */
const maxSetups = 10

const countSetups = `
  select count(*)::int as setups, ceil(extract(epoch from min(created_at) + interval '1 hour' - now()))::int as retry_after
  from payment_setups
  where customer_id = :customer_id and customer_id = :scope_customer and created_at > now() - interval '1 hour'
    and organization_id = any (:scope_organizations) and :scope_checkout::uuid is null`

async function assertMayAdd(customerId: string, { sql }: CommandContext): Promise<void> {
  const [recent] = await sql<{ setups: number; retry_after: number }>('payment-setup.count', countSetups, { customer_id: customerId })
  if (recent && recent.setups >= maxSetups)
    throw new TooManyRequests('Too many payment methods were added. Try again later.', Math.max(1, recent.retry_after))
}

const find = `
  select organization_id from payment_setups
  where id = :id and customer_id = :scope_customer and organization_id = any (:scope_organizations) and :scope_checkout::uuid is null`

const check = `
  update payment_setups set next_check_at = now(), leased_until = now() + :lease_ms * interval '1 millisecond', version = version + 1
  where id = :id and settled_at is null and (leased_until is null or leased_until <= now())
    and customer_id = :scope_customer and organization_id = any (:scope_organizations) and :scope_checkout::uuid is null
  returning leased_until::text as lease`

async function requestCheck({ setup_id: id }: RequestOf<typeof confirmContract>, { caller, sql }: CommandContext): Promise<StartedRow> {
  requireUnboundCustomerId(caller)
  const [found] = await sql<{ organization_id: string }>('payment-setup.find', find, { id })
  if (!found) throw RequestValidationError.field(['setup_id'], 'Payment setup does not exist.')
  const [leased] = await sql<{ lease: string }>('payment-setup.check', check, { id, lease_ms: callLeaseMs })
  return { id, organizationId: found.organization_id, lease: leased?.lease ?? null }
}

async function finish(started: StartedRow, context: FinishContext): Promise<StoredPaymentMethod> {
  const setup = await awaitSetup(started, context)
  if (setup.state === 'failed' || setup.state === 'closing') throw new PaymentError(describeFailure(setup))
  if (setup.state !== 'succeeded') throw createActionError(setup)
  const { paymentMethodId: id } = setup
  if (!id) throw new PaymentError('The payment method cannot be stored. Please try another one.')
  const text = await context.read.one(customerPaymentMethodView, { where: 'm.id = :id', values: { id } })
  const method = JSON.parse(text) as CustomerPaymentMethod
  return { ...method, status: 'succeeded', payment_method: method }
}

function createActionError({ id: setupId, action }: PaymentSetup): PaymentMethodActionRequired {
  const clientSecret = action?.by === 'client' ? action.clientSecret : null
  const detail = clientSecret
    ? 'The buyer has to confirm the payment method. Then confirm the setup.'
    : 'The payment method is not stored yet. Confirm the setup later.'
  return new PaymentMethodActionRequired(detail, { setupId, clientSecret })
}
