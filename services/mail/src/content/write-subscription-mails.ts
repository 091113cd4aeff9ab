import type { MailText } from '../words/declaration-words.ts'
import { fillSentence, fillText, toVisible, type Fact, type Link, type Sentence } from './mail-content.ts'
import type { MailData, PlanChangeData, PlanConfirmationData, SubscriptionChangeData } from './mail-data.ts'
import { fillTexts, forCustomer, type Writing, type Written } from './writing.ts'

const textsByChange = {
  payment_failed: 'paymentFailed',
  subscription_cancelled: 'cancelled',
  subscription_uncancelled: 'uncancelled',
  subscription_ended: 'ended',
} as const

/** Writes the mail about the end, the cancellation or a failed payment of a subscription. */
export function writeSubscriptionChange(mail: Writing, data: SubscriptionChangeData): Written {
  const { words, formats, seller } = mail
  const { facts } = words
  const date = data.until === null ? '–' : formats.date(data.until)
  const isPaused = data.subscriptionId !== undefined
  const until: Partial<Record<MailData['kind'], Fact>> = isPaused
    ? {}
    : {
        subscription_cancelled: { label: facts.accessUntil, value: date },
        subscription_uncancelled: { label: facts.nextPayment, value: date },
      }
  const dated = until[data.kind]
  const texts = fillTexts(findChangeTexts(mail, data), { seller, product: toVisible(data.product), date })
  return {
    ...texts,
    sentences: [...texts.sentences, ...writeWhatFollows(mail, data)],
    lines: [{ label: toVisible(data.product), value: formatPrice(mail, data) }],
    facts: dated && data.until !== null ? [dated] : [],
    ...forCustomer(mail),
    ...(data.subscriptionId && { action: payLink(mail, data.subscriptionId) }),
  }
}

/** After a failed payment there is no access, and no later payment is the next one, until it succeeds. */
function findChangeTexts({ words }: Writing, { kind, subscriptionId, isPaidByTransfer }: SubscriptionChangeData): MailText {
  const texts = words[textsByChange[kind]]
  if (subscriptionId === undefined) return texts
  if (kind === 'subscription_cancelled') return { ...texts, text: words.cancelled.pausedText }
  const failed = isPaidByTransfer ? words.transferRenewal.late : words.paymentFailed
  return kind === 'payment_failed' ? failed : { ...texts, text: failed.text }
}

/** Whether a failed payment is tried again by itself, or asked for again; nothing for mails of earlier releases, which do not know. */
function writeWhatFollows({ words, formats }: Writing, data: SubscriptionChangeData): Sentence[] {
  const { nextAttemptAt, endsUnpaidAt, isPaidByTransfer } = data
  const { retried, notRetried, ends } = words.failedPayment
  const dated = (text: string, time: string) => fillSentence(text, { date: formats.date(time) })
  if (nextAttemptAt) return [dated(isPaidByTransfer ? words.transferRenewal.askedAgain : retried, nextAttemptAt)]
  if (nextAttemptAt === undefined) return []
  return [...(isPaidByTransfer ? [] : [[notRetried]]), ...(endsUnpaidAt ? [dated(ends, endsUnpaidAt)] : [])]
}

/** The page finds what the subscription owes when it is opened: the order may have been paid since. */
function payLink({ words, slug, addresses }: Writing, subscriptionId: string): Link | null {
  if (slug === null) return null
  const path = [slug, 'portal', 'subscriptions', subscriptionId, 'pay'].map(encodeURIComponent).join('/')
  return { label: words.actions.pay, url: `${addresses.pages}/${path}` }
}

/** Writes the mail about another plan. */
export function writePlanChange(mail: Writing, data: PlanChangeData): Written {
  const { words, seller } = mail
  return {
    ...fillTexts(words.planChanged, { seller, product: toVisible(data.product), old: toVisible(data.previousProduct) }),
    facts: [{ label: words.facts.price, value: formatPrice(mail, data), isEmphasized: true }],
    ...forCustomer(mail),
  }
}

/** Writes the mail that asks to confirm the payment of another plan. */
export function writePlanConfirmation(mail: Writing, data: PlanConfirmationData): Written {
  const { words, formats, seller } = mail
  const amount = formats.money(data.amount, data.currency)
  return {
    ...fillTexts(words.planConfirmation, { seller, product: toVisible(data.product), amount }),
    facts: [{ label: words.facts.amount, value: amount, isEmphasized: true }],
    ...forCustomer(mail),
    action: payLink(mail, data.subscriptionId),
  }
}

function formatPrice({ words, formats }: Writing, { amount, currency, interval }: PlanChangeData | SubscriptionChangeData): string {
  return fillText(words.per[interval], { amount: formats.money(amount, currency) })
}
