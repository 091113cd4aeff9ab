import { fillSentence, fillText, toVisible } from './mail-content.ts'
import type { RenewalAheadData } from './mail-data.ts'
import { optOutAddress } from './own-address.ts'
import { fillTexts, type Writing, type Written } from './writing.ts'

/** Writes the reminder of a yearly renewal or of the end of a trial, with the ways to cancel and to stop reminders. */
export function writeRenewalAhead(mail: Writing, data: RenewalAheadData): Written {
  const { words, formats, seller, slug, addresses, optOut } = mail
  const price = formats.money(data.amount, data.currency)
  const amount = formats.money(data.total ?? data.amount, data.currency)
  const isTrial = data.kind === 'trial_ending'
  const values = { seller, product: toVisible(data.product), amount, date: formats.date(data.renewsAt) }
  const ofSeller = slug === null ? null : `${addresses.pages}/${encodeURIComponent(slug)}`
  return {
    ...fillTexts(
      isTrial ? words.trial : data.isPaidByTransfer ? { ...words.reminder, text: words.transferRenewal.ahead } : words.reminder,
      values,
    ),
    lines: [{ label: values.product, value: fillText(words.per[data.interval], { amount: price }) }],
    facts: isTrial ? [] : [{ label: words.facts.nextPayment, value: values.date }],
    action: ofSeller === null ? null : { label: words.actions.portal, url: `${ofSeller}/portal` },
    links: [
      ...(ofSeller === null ? [] : [{ label: words.contract.cancel, url: `${ofSeller}/cancel` }]),
      ...(optOut === null ? [] : [{ label: words.reminder.stop, url: optOutAddress(addresses, optOut) }]),
    ],
    footer: fillSentence(words.footers.customer, { seller }),
  }
}
