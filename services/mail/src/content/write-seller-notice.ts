import { noticeWords } from '../words/notice-words.ts'
import { fillSentence, toUnlinked, toVisible, type Fact } from './mail-content.ts'
import type { DeclarationNoticeData, EndpointDisabledData, MailData, PaymentAccountUnhealthyData } from './mail-data.ts'
import { fillTexts, type Writing, type Written } from './writing.ts'

/** Whether a mail goes to the address of the seller. */
export function isSellerNotice(kind: MailData['kind']): boolean {
  return kind === 'declaration_notice' || kind === 'endpoint_disabled' || kind === 'payment_account_unhealthy'
}

/** Writes what a seller has to decide about a withdrawal or a cancellation, and until when. */
export function writeDeclarationNotice({ formats, seller }: Writing, data: DeclarationNoticeData): Written {
  const values = { name: toUnlinked(data.name), contract: toUnlinked(data.contract) }
  const due: Fact[] = data.refundDueAt === null ? [] : [{ label: noticeWords.refundDueAt, value: formats.date(data.refundDueAt) }]
  return {
    ...fillTexts(noticeWords[data.declaration], values),
    facts: [
      { label: noticeWords.receivedAt, value: formats.moment(data.receivedAt) },
      ...due,
      { label: noticeWords.contract, value: values.contract },
      { label: noticeWords.customer, value: values.name },
      { label: noticeWords.address, value: toVisible(data.email) },
      { label: noticeWords.number, value: data.number },
    ],
    notes: [[noticeWords.effects[data.effect]]],
    footer: fillSentence(noticeWords.footer, { seller }),
  }
}

/** Writes that no more events are delivered to an endpoint. */
export function writeEndpointDisabled({ formats, seller }: Writing, data: EndpointDisabledData): Written {
  const failing: Fact[] = data.failingSince === null ? [] : [{ label: noticeWords.failingSince, value: formats.moment(data.failingSince) }]
  return {
    ...fillTexts(noticeWords.endpointDisabled, { host: toVisible(data.host) }),
    facts: [...failing, { label: noticeWords.endpoint, value: data.number }],
    footer: fillSentence(noticeWords.footer, { seller }),
  }
}

/** Writes that a payment provider rejects an account, why, and what to do. */
export function writePaymentAccountUnhealthy({ formats, seller }: Writing, data: PaymentAccountUnhealthyData): Written {
  const { reason, account, mode, permissions, rejectedAt, number, providers, ...words } = noticeWords.paymentAccountUnhealthy
  const provider = providers[data.provider]
  return {
    ...fillTexts(words, { provider }),
    facts: [
      ...(data.reason === null ? [] : [{ label: reason, value: toUnlinked(data.reason) }]),
      ...(data.lacking.length === 0 ? [] : [{ label: permissions, value: toUnlinked(data.lacking.join(', ')) }]),
      { label: rejectedAt, value: formats.moment(data.rejectedAt) },
      ...(data.account === null ? [] : [{ label: account, value: toVisible(data.account) }]),
      { label: mode, value: data.mode },
      { label: number, value: data.number },
    ],
    notes: [fillSentence(words.todo, { provider, id: data.number })],
    footer: fillSentence(noticeWords.footer, { seller }),
  }
}
